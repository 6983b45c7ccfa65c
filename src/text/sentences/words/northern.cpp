#include "text/sentences/word_lists.hpp"

// Dutch, Swedish, Danish (also used for Norwegian): CLDR has no suppressions for them. The language
// councils list these abbreviations (Taalunie, Språkrådet's Svenska skrivregler, Dansk Sprognævn).
namespace tandem::text {
namespace {

constexpr word_group dutch[] = {
    {word_class::title, "dhr mevr mw mej dr drs prof ir ing mr ds st fam burg jhr gen kol kap"},
    {word_class::inner,
     "bijv bv o.a d.w.z m.a.w t.a.v t.o.v m.b.t i.v.m i.p.v n.a.v v.a t.w z.g.n zgn ca evt incl "
     "excl "
     "resp vs vgl cf ong max min. a.u.b s.v.p b.v nl o.b.v o.l.v"},
    {word_class::numbered, "nr nrs p pp blz art fig afb hfst dl tel par"},
    {word_class::name_part, "inc co corp ltd jr u.s u.s.a n.v b.v v.chr n.chr"},
    {word_class::tail, "enz etc e.d e.a min sec u kg km"},
    {word_class::date, "jan feb mrt apr jun jul aug sep sept okt nov dec ma di wo do vr za zo"},
    {word_class::starter,
     "zo de het een hij zij ze wij we jij je u ik dit dat deze die er hier daar dan toen maar en "
     "of "
     "dus als zo wanneer waar wat wie hoe waarom welke kan kunt kunnen is zijn was waren heeft "
     "hebben "
     "had ja nee niet in op aan bij met voor van naar om uit over na tot door ook nog nu vandaag "
     "morgen gisteren mijn jouw uw zijn haar ons onze hun alle alles veel geen elke graag "
     "misschien "
     "natuurlijk daarna eerst dank bedankt hallo wilt wil laat"},
    {word_class::heading,
     "stap hoofdstuk deel paragraaf les vraag regel tip akte scène fase opdracht dag"},
    {word_class::label, "zaal plan spoor groep klasse type perron vitamine"},
};

constexpr word_group swedish[] = {
    {word_class::title, "dr prof hr fr frk st kapt"},
    {word_class::inner,
     "t.ex bl.a d.v.s dvs s.k t.o.m fr.o.m f.n p.g.a m.a.o o.s.v. i.o.m ca cirka resp jfr ev inkl "
     "exkl el eg t ex bl e"},
    {word_class::numbered, "nr kl s sid kap art fig tel avd mom ung"},
    {word_class::name_part, "inc co corp ltd jr u.s u.s.a e.kr f.kr"},
    {word_class::tail, "m.m m.fl osv o.s.v etc o.d min sek tim kg km kr"},
    {word_class::date,
     "jan feb mar apr jun jul aug sep sept okt nov dec mån tis ons tors fre lör sön"},
    {word_class::starter,
     "det den de en ett han hon vi ni du jag man detta denna dessa här där då sedan men och eller "
     "så om när var vad vem hur varför vilken vilket vilka kan kunde är var har hade ja nej inte i "
     "på av med för från till vid efter före under över också även nu idag imorgon igår min mitt "
     "din ditt er vår alla allt många ingen inget varje kanske tack hej självklart först vill ska "
     "skulle få får"},
    {word_class::heading,
     "steg kapitel del avsnitt lektion fråga regel tips akt scen fas uppgift dag"},
    {word_class::label, "sal plan spår avdelning grupp klass typ hus rum port"},
};

constexpr word_group danish[] = {
    {word_class::title, "dr prof hr fr frk st kapt skt"},
    {word_class::inner,
     "f.eks fx bl.a d.v.s dvs s.k t.o.m p.g.a pga ca cirka hhv ift jf evt inkl ekskl ml o.lign. "
     "i.h.t "
     "mht m.h.t vedr bl f e"},
    {word_class::numbered, "nr kl s kap art fig tlf afs stk bd pkt"},
    {word_class::name_part, "inc co corp ltd jr u.s u.s.a e.kr f.kr a/s"},
    {word_class::tail, "m.m m.fl mm mfl osv o.s.v etc o.l m.v mv min sek kg km kr"},
    {word_class::date,
     "jan feb mar apr jun jul aug sep sept okt nov dec man tir ons tors fre lør søn"},
    {word_class::starter,
     "det den de en et han hun vi i du jeg man dette denne disse her der da så men og eller hvis "
     "når hvad hvem hvor hvordan hvorfor hvilken hvilket kan kunne er var har havde ja nej ikke på "
     "af med for fra til ved efter før under over også nu dag imorgen igår min mit din dit vores "
     "alle alt mange ingen hver måske tak hej selvfølgelig først vil skal skulle må ingen"},
    {word_class::heading,
     "trin kapitel del afsnit lektion spørgsmål regel tip akt scene fase opgave dag"},
    {word_class::label, "sal plan spor afdeling gruppe klasse type rum port"},
};

}  // namespace

const language_words dutch_words{"nl", dutch};
const language_words swedish_words{"sv", swedish, true};
const language_words danish_words{"da", danish, true};

}  // namespace tandem::text
