#include "text/sentences/word_lists.hpp"

// The Russian abbreviations come from CLDR 42 (common/segments/ru.xml), sorted into classes, and
// from GOST R 7.0.12. CLDR has no abbreviations for Polish, Czech (also used for Slovak and
// others), Turkish and Greek, so common ones from the lists of language councils are used (RJP,
// ÚJČ, TDK).
namespace tandem::text {
namespace {

constexpr word_group polish[] = {
    {word_class::title, "dr prof mgr inż hab ks św gen płk kpt mjr por sierż red p pp s"},
    {word_class::inner,
     "o np tzn tj tzw m.in ul al pl os św. godz wg ds ww pt zob por. red. ur zm dot ewent gł "
     "płn płd wsch zach jw jn itd. r. woj pow gm właśc"},
    {word_class::numbered, "nr s str t rozdz art pkt ust poz rys tab tel godz r ok"},
    {word_class::name_part, "inc co corp ltd jr u.s u.s.a sp.z.o.o s.a n.e p.n.e r w im"},
    {word_class::tail, "itd itp etc min sek godz zł gr kg km tys mln mld rż"},
    {word_class::date, "sty lut mar kwi maj cze lip sie wrz paź lis gru"},
    {word_class::starter,
     "to ten ta te on ona ono oni one ja ty my wy ja i a ale lub więc jeśli kiedy gdy gdzie co kto "
     "jak dlaczego który która czy nie tak w we na z ze do od po przed przy dla o u pod nad za "
     "jest są był była było były ma mają może można mój moja twój twoja jego jej nasz wasz "
     "wszystko wszyscy każdy wiele teraz dziś dzisiaj jutro wczoraj potem najpierw też także już "
     "jeszcze proszę dziękuję dzień cześć oczywiście chyba jednak bo"},
};

constexpr word_group czech[] = {
    {word_class::title, "dr prof mgr ing mudr judr phdr rndr doc bc sv p pí gen plk kpt mjr arch"},
    {word_class::inner,
     "např tj tzn tzv mj resp popř příp cca zn ul nám vč kupř ap. apod. srov viz hl zejm ev t č"},
    {word_class::numbered, "č čís s str kap čl odst obr tab tel roč sv"},
    {word_class::name_part, "inc co corp ltd jr u.s u.s.a s.r.o a.s n.l př.n.l r"},
    {word_class::tail, "atd apod ap aj etc min hod sek kč kg km tis mil mld"},
    {word_class::date, "led úno bře dub kvě čvn čvc srp zář říj lis pro"},
    {word_class::starter,
     "to ten ta ti on ona ono oni já ty my vy a ale nebo proto když kde co kdo jak proč který "
     "která "
     "je jsou byl byla bylo má mají může ano ne v ve na z ze do od po před při pro o u pod nad za "
     "s "
     "můj moje tvůj jeho její náš váš všechno všichni každý mnoho teď dnes zítra včera potom "
     "nejprve také už ještě prosím děkuji dobrý ahoj jistě možná však"},
};

constexpr word_group turkish[] = {
    {word_class::title, "dr prof doç av sn yrd arş öğr alb yzb org bn hz müh op uzm"},
    {word_class::inner, "örn bkz yy vs. krş çev haz hzl ing fr alm ör mad"},
    {word_class::numbered, "no s sf sy nr tel cad sok mah blok kat böl md şek c yak"},
    {word_class::name_part, "inc co corp ltd jr şti a.ş t.c m.ö m.s u.s u.s.a apt gör"},
    {word_class::tail, "vb vs vd dk sn sa kg km tl"},
    {word_class::starter,
     "bu şu o ben sen biz siz onlar ve ama veya çünkü eğer ne kim nerede nasıl neden hangi ile "
     "için "
     "sonra önce şimdi bugün yarın dün evet hayır var yok bir her çok daha en de da hem ancak "
     "lütfen teşekkürler merhaba tabii belki size bana saat"},
};

constexpr word_group russian[] = {
    {word_class::title,
     "г-н г-жа д-р проф акад доц ул пл пр пр-т пр-кт просп пер бул наб св гр тов р. оз гл "
     "дер пос обл вул просп бульв ім р-н м. ст. кап лейт инж"},
    {word_class::inner,
     "о г гг т.е т.н т.к напр см ср т.ч в.т.ч в/ч прим ред изд вып англ нем фр лат стр. гл. "
     "рис. "
     "табл. сокр кв.м. до.н.э отд"},
    {word_class::numbered,
     "№ ет стр с гл буд рис табл ст п пп т кн вып кв д корп тел разд ч оф эт ок"},
    {word_class::name_part,
     "н.э до.н.э вв т.г т.б т.д т.п т.д. р х и.о сша юл куб кв им ум род букв ген полк"},
    {word_class::tail, "др пр руб коп тыс млн млрд чел шт тис грн т.д т.п"},
    {word_class::unit, "мин сек час км м кг см мм л куб.м кв.м кв.км га"},
    {word_class::date, "янв февр фев мар апр июн июл авг сент сен окт нояб ноя дек"},
    {word_class::starter,
     "он она оно они я ты мы вы это этот эта эти тот та те там здесь тут тогда потом но и а или "
     "если когда где что кто как почему какой какая какие чей в во на с со к от до по за из у о об "
     "для при без под над между после перед да нет не был была было были есть может можно мой моя "
     "твой его её наш ваш их все всё каждый много сейчас сегодня завтра вчера также тоже уже ещё "
     "пожалуйста спасибо привет здравствуйте конечно сначала затем однако поэтому хотите скажите "
     "давайте расскажите чем"},
};

constexpr word_group greek[] = {
    {word_class::title, "κ κα κος δρ καθ αγ"},
    {word_class::inner, "π.χ δηλ βλ πρβλ λ.χ τ.μ"},
    {word_class::numbered, "αρ σελ σ κεφ εικ τηλ"},
    {word_class::name_part, "μ.χ π.χ. ε.ε η.π.α"},
    {word_class::tail, "κ.λπ κλπ κ.ά κ.α κτλ κ.τ.λ π.μ μ.μ"},
    {word_class::starter,
     "ο η το οι τα ένα μια αυτό αυτός αυτή και αλλά αν όταν πού πώς τι ποιος γιατί"},
};

}  // namespace

const language_words polish_words{"pl", polish, true};
const language_words czech_words{"cs", czech, true};
const language_words turkish_words{"tr", turkish, true};
const language_words russian_words{"ru", russian};
const language_words greek_words{"el", greek};

}  // namespace tandem::text
