# What Doxygen reads of a page: without the anchors of links, which older versions (1.9.4, Debian 12) do not know.
s/\[([^]]*)\]\(#[^)]*\)/\1/g
s/(\]\([^)#]*)#[^)]*\)/\1)/g
# Without links to files that are not in the reference.
s/\[([^]]*)\]\((\.\.\/)+tools[^)]*\)/\1/g
# Names of npm's packages are no commands of Doxygen's.
s/`@([^`]*)`/<code>\&#64;\1<\/code>/g
