# What Doxygen reads of a public header. A comment counts for all members below it, up to the next comment or blank
# line, as it does for a reader; comparisons and moves, which say nothing of their own, are left out.
/operator(==|<=>)\(.*= default;$/ || /^    [a-z_]+(& operator=)?\([a-z_]+&&\) noexcept;$/ { next }

/^ *\/\/\// {
    comment = continues ? comment "\n" $0 : $0
    continues = 1
    print
    next
}

{
    is_member = /^(    )?[a-z~]/ && !/^(namespace|private|public)/ && !is_in_template
    if (is_member && !continues && comment != "" && $0 !~ /\/\/\/</) print comment
    if (/^$|^ ?[a-z]+:$|^}/) comment = ""
    is_in_template = /^(    )?template </
    continues = 0
    print
}
