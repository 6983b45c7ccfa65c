#include "text/sentences/word_lists.hpp"

// Abbreviations: CLDR 42 (common/segments/{fr,es,it,pt}.xml) without plain words, sorted into
// classes, and national style guides (Académie française, RAE's Ortografía, Accademia della
// Crusca).
namespace tandem::text {
namespace {

constexpr word_group french[] = {
    {word_class::title, "m mm mme mlle mmes mlles dr drs pr me mgr st ste sr vve cie"},
    {word_class::inner,
     "p.ex c.-à-d c.à.d cf env av bd apr ap boul chap éd ed hab dép tél mr mrs j.-c p.-d.g vs "
     "n.b n.d.l.r p.s resp anc adj adm dim dir imm ill imprim ouvr"},
    {word_class::numbered, "n no nos n° p pp art fig vol t chap al ch réf tél ex ex. lot av"},
    {word_class::name_part, "inc corp ltd jr u.s u.s.a s.a s.n.c.f s.a.r.l i.e.p av bd j.-c"},
    {word_class::tail, "etc min h s kg km"},
    {word_class::date, "janv févr avr juil sept oct nov déc lun mar mer jeu ven sam dim"},
    {word_class::starter,
     "le la les l un une des il elle ils elles on nous vous je j tu ce c cela ça ces cette cet "
     "mais et ou donc or ni car si quand comme que qu qui quoi où comment pourquoi combien quel "
     "quelle quels quelles est-ce y en à au aux dans sur sous avec sans pour par chez de du d "
     "après avant pendant depuis voici voilà oui non merci bonjour bien alors ensuite puis enfin "
     "aussi encore mon ma mes ton ta tes son sa ses notre nos votre vos leur leurs tout tous toute "
     "toutes rien personne dites n'hésitez n'oubliez c'est j'ai il's aujourd'hui demain hier ici "
     "là souhaitez avez pouvez voulez peut peux désolé"},
    {word_class::heading,
     "étape chapitre partie section leçon question règle astuce conseil acte scène phase exercice "
     "jour n°"},
    {word_class::label, "plan vitamine option type classe groupe partie quai porte"},
    {word_class::exclaimed, "yahoo"},
};

constexpr word_group spanish[] = {
    {word_class::title,
     "sr sra srta sres sras srtas srs d dña dª dr dra drs dres lic licdo licda lcdo lcda ing prof "
     "profa arq gral cap cnel tte sgto mons fr sto sta ilmo ilma excmo excma exmo exma rvdo rvdmo "
     "rdo ldo lda mr mrs ms mtro mtra vda st"},
    {word_class::inner,
     "ee p.ej v.gr p.e cf cfr vid vs av avda ctra pza pzo esq núm aprox art dpto depto ed trad "
     "coord "
     "comp admón fabric bol apdo tel tfno dtor ntra ntro s.a. cía etc."},
    {word_class::numbered,
     "núm núms n nº no pág págs p pp art arts cap caps fig figs vol vols párr párrf tel ref t piso "
     "ej"},
    {word_class::name_part,
     "inc co corp ltd ltda jr u.s u.s.a ee.uu ee.uu. uu s.a s.l c.v a.c d.c jj.oo ff.cc r.u c.a "
     "cía hnos vd vds ud uds"},
    {word_class::tail, "etc min seg h hrs kg km m cm a.m p.m"},
    {word_class::date,
     "ene feb mar abr may jun jul ago sep sept oct nov dic lun mié jue vie sáb dom"},
    {word_class::starter,
     "el la los las lo un una unos unas él ella ellos ellas yo tú usted ustedes nosotros esto este "
     "esta estos estas eso ese esa aquí ahí allí pero y o así si cuando donde como porque que qué "
     "quién cuál cuándo dónde cómo cuánto cuántos por para con sin en de del al a desde hasta "
     "sobre "
     "entre según no sí también además luego después antes entonces ahora hoy mañana ayer es son "
     "era fue está están hay había tiene tienen puede pueden quiere mi mis tu tus su sus nuestro "
     "nuestra todo todos toda todas cada otro otra muchos muchas algunos nada nadie nunca siempre "
     "quizás tal gracias hola buenos buenas claro bien bueno me te se le nos les espero envíe "
     "disponían cuesta ya sólo solo finalmente primero"},
    {word_class::heading,
     "paso capítulo parte sección lección pregunta regla consejo acto escena fase ejercicio día "
     "nº"},
    {word_class::label, "plan vitamina opción tipo clase grupo parte puerta"},
    {word_class::exclaimed, "yahoo"},
};

constexpr word_group italian[] = {
    {word_class::title,
     "sig sigg sig.ra sig.na dott dott.ssa dr prof prof.ssa ing avv arch geom rag on sen dir amm "
     "gen col cap mons don s ss mr mrs st fr spett gent egr ill.mo v.cte cte cav comm rev"},
    {word_class::inner,
     "ad ad.es es cfr cf ecc. p.es pag. vs v n.b c.a ca tel fig tav ed op cit d.p.r rag. ver "
     "mitt ag lett r.d delle d.lgs"},
    {word_class::numbered,
     "n nn nr num p pp pag pagg art artt cap fig figg vol voll tav sez tab tel int div par"},
    {word_class::name_part,
     "inc co corp ltd jr u.s u.s.a s.p.a s.r.l s.n.c f.p a.c d.c c.c.p o.d.g u.e"},
    {word_class::tail, "ecc etc min sec h kg km m cm mq"},
    {word_class::date,
     "gen feb mar apr mag giu lug ago set sett ott nov dic lun mer gio ven sab dom"},
    {word_class::starter,
     "il lo la i gli le un uno una l io tu lui lei noi voi loro egli ella questo questa questi "
     "queste quello quella qui qua lì là ma e ed o oppure quindi così se quando dove come perché "
     "che chi cosa quale quanto quanti per con senza in nel nella di del della dei da dal dalla a "
     "al alla su sul sulla tra fra dopo prima poi adesso ora oggi domani ieri è sono era erano "
     "c'è ci sì no non anche inoltre infine mio mia tuo tua suo sua nostro nostra vostro vostra "
     "tutto tutti ogni altro molti alcuni niente nessuno mai sempre forse grazie ciao buongiorno "
     "certo bene vediamo puoi può vuoi si mi ti vi"},
    {word_class::heading,
     "passo passaggio capitolo parte sezione lezione domanda regola consiglio atto scena fase "
     "esercizio giorno"},
    {word_class::label, "piano vitamina opzione tipo classe gruppo parte binario"},
    {word_class::exclaimed, "yahoo"},
};

constexpr word_group portuguese[] = {
    {word_class::title,
     "sr sra srta srs dr dra drs dras prof profa exmo exma ilmo ilma eng dir gen cel cap sto sta "
     "pe d fr mr mrs n.sra rev"},
    {word_class::inner,
     "p.ex cf vs av aprox tel ed trad r lgo pça apart esp ref obs v.t r.s.v.p end dept"},
    {word_class::numbered,
     "n nº núm no pág págs p pp art arts cap caps fig vol fasc tel fl ref índ ex apto"},
    {word_class::name_part,
     "inc co corp ltd ltda jr u.s u.s.a e.u.a s.a d.c a.c ph.d w.c cia est univ"},
    {word_class::tail, "etc min seg h kg km m cm séc a.m p.m"},
    {word_class::date, "jan fev mar abr mai jun jul ago set out nov dez"},
    {word_class::starter,
     "o a os as um uma uns umas ele ela eles elas eu tu você vocês nós isto isso este esta esse "
     "essa aquele aqui ali lá mas e ou então assim se quando onde como porque por que quem qual "
     "quais quanto quantos para com sem em no na nos nas de do da dos das ao à desde até sobre "
     "entre não sim também além depois antes agora hoje amanhã ontem é são era foi está estão há "
     "tem têm pode podem quer meu minha seu sua nosso nossa todo todos toda todas cada outro outra "
     "muitos alguns nada ninguém nunca sempre talvez obrigado obrigada olá bom boa claro já só "
     "finalmente primeiro"},
    {word_class::heading,
     "passo etapa capítulo parte seção secção lição pergunta regra dica ato cena fase exercício "
     "dia nº"},
    {word_class::label, "plano vitamina opção tipo classe grupo parte portão"},
    {word_class::exclaimed, "yahoo"},
};

}  // namespace

const language_words french_words{"fr", french};
const language_words spanish_words{"es", spanish};
const language_words italian_words{"it", italian};
const language_words portuguese_words{"pt", portuguese};

}  // namespace tandem::text
