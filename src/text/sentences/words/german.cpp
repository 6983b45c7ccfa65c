#include "text/sentences/word_lists.hpp"

namespace tandem::text {
namespace {

// Abbreviations: CLDR 42 (common/segments/de.xml) without plain words, sorted into classes, and the
// Duden's list of common abbreviations.
constexpr word_group german_groups[] = {
    {word_class::title,
     "dr prof hr hrn fr frl dipl.-ing dipl.-kfm ing st mag msgr gebr fam chr pfr dres mr mrs "
     "ms adr dir reg med fa phil rer jur"},
    {word_class::inner,
     "z.b z.t u.a d.h i.d.r o.ä u.ä v.a z.z z.zt i.a i.v m.e s.o s.u vgl bzw ca evtl ggf ggfs inkl "
     "exkl zzgl einschl sog bspw etw entspr gem lt mind od resp eigtl insb insbes vs vgl. ehem "
     "geb gest gegr verh ev kath röm allg ursprüngl voraussichtl u.u wg zw i.b o.b a.d i.r v.h "
     "k.u.k erw frz engl schwäb schles südd österr schweiz chin kgl amtl möbl näml z.hd u.a.w.g "
     "h.c dt urspr usf a i o u"},
    {word_class::numbered,
     "nr nrn s abs art bd bde kap abb abt tel aufl jg hrsg ziff zi pos str rn fn anm spez tab ver "
     "lfd max"},
    {word_class::name_part,
     "inc co corp ltd jr u.s u.s.a n.chr v.chr n v jh jahrh hbf str pl ges mbh e.v eu mwst"},
    // In other languages, such words are tails. In German, the capital after them may be that of
    // any noun.
    {word_class::name_part,
     "usw etc u.v.m usf min std sek mio mrd tsd ztr pfd stk stck kg km cm mm u.v.a o.g o.a m.w "
     "jhd jahrhs"},
    {word_class::date, "jan feb mär apr jun jul aug sep sept okt nov dez mo di mi do fr sa so"},
    {word_class::starter,
     "der die das den dem des ein eine einen einem er sie es wir ihr ich du man dies diese dieser "
     "dieses diesen hier da dann danach aber und oder wenn weil was wer wie wo warum wann welche "
     "welcher welches kann können könnte könnten hat haben hatte ist sind war waren wird werden "
     "wurde bitte ja nein möchten möchtest wollen willst soll sollen gibt heute morgen gestern "
     "jetzt so nun mit in im am an auf bei nach von vor zu zum zur für aus dort damit dabei dafür "
     "alle alles viele kein keine mein meine dein deine sein seine ihre unser unsere leider "
     "vielleicht natürlich außerdem ob sehr gern gerne auch noch nur schon wir's das's seit "
     "während obwohl deshalb trotzdem zuerst zuletzt schließlich jeder jede jedes etwas nichts "
     "niemand jemand sonst brauchen brauchst geht lassen lass machen nehmen rufen hallo danke "
     "achtung wenn's ihr's dir mag"},
    {word_class::heading,
     "schritt kapitel teil abschnitt lektion frage regel tipp akt szene phase aufgabe nr tag woche "
     "punkt"},
    {word_class::label, "plan vitamin option klasse typ gruppe teil variante gleis block haus"},
    {word_class::brief, "am an da du er es im in ja so um zu ab wo ob"},
    {word_class::exclaimed, "yahoo"},
};

}  // namespace

// "Goethestr. 12": street names end with "str".
const language_words german_words{"de", german_groups, true, "str"};

}  // namespace tandem::text
