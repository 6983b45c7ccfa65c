#include "text/sentences/word_lists.hpp"

namespace tandem::text {
namespace {

// The abbreviations come from CLDR 42 and from style guides (Chicago Manual of Style 10.4 to
// 10.70). Those of CLDR are the sentence break suppressions that ICU serves
// (common/segments/en.xml), without plain words, sorted into classes. The lists of plain words
// (from `starter` on, except `when`) have no source: they are common words of replies, chosen for
// the purpose of each class.
constexpr word_group english_groups[] = {
    {word_class::title,
     "wm chas thos pt mr mrs ms mx messrs dr drs prof rev fr hon gen lt col maj capt cpt cmdr cdr "
     "adm sgt cpl pvt "
     "pfc brig supt insp gov sen rep pres amb atty msgr br st ste mt mts ft mlle mme lt.cdr lt.col "
     "lt.gen maj.gen asst adj assoc mgr vp"},
    {word_class::inner,
     "e.g i.e eg ie ps vs v viz cf approx ca c/o p.s p.p.s p.o n.b f.e incl esp i.v.a w.r.t a.k.a "
     "d.b.a f/k/a s.a op prop def thm"},
    {word_class::numbered,
     "no nos n° № fig figs vol vols ch chap sec sect pp p pg pgs art arts par para eq eqs ref refs "
     "nr n "
     "tab app ex ver v col l ll ln lns rs bk cl pt rm ste apt ext tel op sc max min avg temp est"},
    {word_class::name_part,
     "inc co corp ltd llc plc bros jr sr esq ph.d phd m.d d.d.s b.a m.a b.s m.s b.sc m.sc d.phil "
     "ll.b ll.m j.d m.b.a r.n d.v.m u.s u.s.a u.s.c u.s.s.r u.k e.u u.n u.a.e d.c n.y n.j n.c s.c "
     "l.a m.i.t n.v b.v a.s "
     "s.p.a s.a.r ave blvd rd ln hwy pkwy pl sq bldg dept univ assn dist est.d govt intl natl mfg "
     "mgmt org comm conn ind al phys md var dr. st. p.r v.i.p i.d c.o.d i.q t.v d.j p.a h.q c.e.o "
     "c.f.o c.t.o c.o.o v.p"},
    {word_class::tail,
     "etc b.c a.d b.c.e c.e a.m.u misc dr prof rev col gen lt capt sgt ext "
     "r.s.v.p a.s.a.p d.i.y i.e.d"},
    {word_class::unit,
     "min mins hr hrs sec secs tbsp tbs tsp oz lb lbs kg g gm mg km cm mm m mi yd yds ft in gal qt "
     "pt sq cu doz wk wks yr yrs mo mos mph rpm hz khz mhz ghz kb mb gb tb ml l cl kcal cal deg "
     "fl c"},
    {word_class::clock, "a.m p.m am pm a.m.est"},
    {word_class::date,
     "jan feb mar apr jun jul aug sep sept oct nov dec mon tue tues wed weds thu thur thurs fri "
     "sat sun"},
    {word_class::when,
     "monday tuesday wednesday thursday friday saturday sunday january february march april may "
     "june july august september october november december eastern pacific central mountain est "
     "edt pst pdt cst cdt mst mdt gmt utc bst cet cest ist jst et pt ct mt mon tue tues wed thu "
     "thur thurs fri sat sun jan feb mar apr jun jul aug sep sept oct nov dec greenwich beijing "
     "london tokyo new standard daylight"},
    {word_class::starter,
     "the a an it he she they we you i i'm i'll i've i'd it's it'll he's he'll he'd she's she'll "
     "we're we'll we've we'd they're they'll they've you're you'll you've you'd this that that's "
     "these those there there's here here's then now but and or so yet if when when's while after "
     "before because since as at in on by for from with without to during our my your his her its "
     "their what what's who who's where where's why how how's which whose do does did don't "
     "doesn't didn't is isn't are aren't was wasn't were weren't can can't could couldn't would "
     "wouldn't will won't shall should shouldn't may might must has hasn't have haven't had hadn't "
     "let let's please yes yeah no nope not some many most all both each every any another other "
     "others few several one two three four five six ten tomorrow today tonight yesterday next "
     "finally however also still just only even once until unless although though everyone "
     "everything everybody someone something nobody nothing anyone anything never always sometimes "
     "usually often maybe perhaps again later meanwhile instead overall otherwise well oh ok okay "
     "sure thanks thank sorry great good first second third last besides furthermore moreover "
     "therefore thus hence indeed actually basically clearly obviously fortunately unfortunately "
     "interestingly remember note keep make take try tell ask call check look see get go come give "
     "put use add turn want need be being inside outside under over above below between despite "
     "according people right feel think say wait stop start about around nearly neither either "
     "such like "
     "more less much part whatever whenever wherever somehow hopefully luckily sadly honestly "
     "personally currently recently originally eventually generally typically additionally "
     "similarly "
     "consequently nevertheless nonetheless speaking based given depending critics experts "
     "scientists "
     "officials police residents tickets doors parking boarding bring expect avoid "
     "visit "
     "enjoy open click press hold read write watch follow choose pick buy drive walk turn "
     "nowadays "
     "since's plus apparently supposedly surely certainly absolutely definitely "
     "somebody anybody neither children students workers"},
    {word_class::label,
     "vitamin vitamins plan option grade gate type class group part section appendix exhibit "
     "hepatitis "
     "answer letter team category building room block seat row channel point size model formula "
     "studio unit version schedule column step division series apartment suite chapter figure "
     "table hall wing zone level concourse platform terminal track side note key item line list "
     "phase stage choice variant influenza hemisphere company battery platoon is exit "
     "drive flat minor major war press hit type select choose click button a an the just"},
    {word_class::heading,
     "step chapter part section lesson question rule tip act scene sc phase stage exercise problem "
     "task unit round note day week no"},
    {word_class::suffix, "jr sr esq"},
    {word_class::exclaimed,
     "yahoo yum jeopardy oklahoma mia airplane oliver wham panic joomla kahoot ho ahoy hairspray "
     "rouge bingo chess moana shazam zoom woot arriba yum-yum hello-fresh tora viva wheee "
     "mother fringe eureka godspeed hi-de-hi elf snap geico lidl eek chips-ahoy 'n-sync"},
    {word_class::brief,
     "am an as at be by do go he hi if in is it me my no of oh on or ox so to up us we ok ad pm "
     "tv it's he's i'm id bye out now day way you him her all off one two six ten too yes not yet "
     "ago use car end job lot man men fun sea run see buy eat dog cat bit set red big hot bad top "
     "bed box try why how who any few far low new old own pay say sit air are was did had has got "
     "get let put cut hit win won lie die ice oil egg tea pie bus van map key bag hat cup arm leg "
     "eye ear boy kid mom dad son guy god sky row law tax fee age era art add ask aid aim war gun "
     "dry wet sad mad odd raw shy sit fit hid led met fed bet yet nor for and but the she its our "
     "hey wow yep nah bar gas gym pub zoo inn spa bee cow pig fox ant owl"},
    {word_class::file,
     "docs api blog shop portal login account static main index app config package readme test "
     "tests setup data file script style styles server "
     "client example google amazon apple github gitlab gmail openai wikipedia youtube facebook "
     "twitter report notes log logs output input image photo picture video document doc model "
     "settings requirements makefile dockerfile docker node os sys path json utils util math std "
     "self console window object array string numpy pandas np plt torch booking airbnb netflix "
     "ebay walmart target spotify weather www mail support info contact hello admin backup final "
     "draft resume budget invoice hosts init build run program source code header module lib "
     "library user users name order orders item items list dict random time date datetime page "
     "home site website web http https archive project todo changelog license manifest schema "
     "database db table query cache session request response error function method class"},
};

}  // namespace

const language_words english_words{"en", english_groups};

}  // namespace tandem::text
