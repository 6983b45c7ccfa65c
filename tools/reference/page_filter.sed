# What Doxygen reads of a page: without the anchors of links, which older versions (1.9.4, Debian 12) do not know.
s/\[([^]]*)\]\(#[^)]*\)/\1/g
s/(\]\([^)#]*)#[^)]*\)/\1)/g
