/* The columns of a visit, in the order of the file; packs/web/schema.sql has their types. */
#include "gen/web_private.h"

#include <stddef.h>

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

#define SMALL(name, bound, permil, of_user)                      \
	{                                                        \
		name, WEB_SMALL, bound, permil, of_user, NULL, 0 \
	}
#define TEXT(name, texts, bound, permil, of_user)                           \
	{                                                                   \
		name, WEB_TEXT, bound, permil, of_user, texts, COUNT(texts) \
	}

static const char *const countries[] = {"Argentina", "Brazil", "Canada", "Chile", "Denmark",
	"Egypt", "France", "Germany", "India", "Italy", "Japan", "Kenya", "Mexico", "Norway",
	"Peru", "Poland", "Spain", "Sweden", "Turkey", "Uruguay"};
static const char *const cities[] = {
	"North", "South", "East", "West", "Old", "New", "Upper", "Lower", "Port", "Lake"};
static const char *const languages[] = {
	"en", "es", "fr", "de", "pt", "it", "pl", "tr", "ja", "hi", "sv", "no"};
static const char *const browsers[] = {
	"Firefox", "Chrome", "Safari", "Edge", "Opera", "Brave", "Vivaldi", "Lynx"};
static const char *const systems[] = {
	"Windows", "Linux", "macOS", "Android", "iOS", "ChromeOS", "FreeBSD"};
static const char *const devices[] = {"desktop", "phone", "tablet", "television", "console"};
static const char *const makers[] = {
	"Acorn", "Birch", "Cedar", "Dogwood", "Elm", "Fir", "Ginkgo", "Hazel", "Ivy"};
static const char *const models[] = {"One", "Mini", "Max", "Fold", "Note", "Play"};
static const char *const campaigns[] = {
	"spring", "summer", "autumn", "winter", "launch", "clearance", "loyalty"};
static const char *const sources[] = {
	"newsletter", "partner", "banner", "video", "social", "print"};
static const char *const media[] = {"mail", "click", "view", "post"};
static const char *const sections[] = {
	"news", "sport", "shop", "forum", "help", "account", "search", "weather"};
static const char *const topics[] = {"cars", "books", "travel", "money", "health", "games", "music",
	"food", "home", "science", "film"};
static const char *const authors[] = {"Ana", "Bruno", "Carla", "Diego", "Elena", "Hugo", "Karina",
	"Luis", "Marta", "Olga", "Pablo", "Vera"};
static const char *const connections[] = {"cable", "fibre", "dsl", "mobile", "satellite"};
static const char *const carriers[] = {"Northline", "Bluecell", "Telgo", "Veloz", "Farnet"};
static const char *const methods[] = {"GET", "POST", "HEAD", "PUT"};
static const char *const protocols[] = {"HTTP/1.1", "HTTP/2", "HTTP/3"};
static const char *const servers[] = {"web-a", "web-b", "web-c", "web-d"};
static const char *const caches[] = {"hit", "miss", "stale", "bypass"};
static const char *const currencies[] = {"EUR", "USD", "ARS", "GBP", "JPY"};
static const char *const payments[] = {"card", "transfer", "cash", "voucher"};
static const char *const coupons[] = {"TEN", "HALF", "FREE", "GIFT"};
static const char *const tests[] = {"button colour", "short form", "new search", "prices first"};
static const char *const branches[] = {"control", "a", "b"};
static const char *const charsets[] = {"utf-8", "windows-1252", "iso-8859-1", "utf-16"};
static const char *const notes[] = {
	"slow network", "blocked script", "retried", "from a bookmark", "opened in the background"};

const struct web_column web_columns[] = {
	{"visit_id", WEB_NUMBER, 0, 0, 0, NULL, 0},
	{"happened_at", WEB_MOMENT, 0, 0, 0, NULL, 0},
	{"happened_on", WEB_DAY, 0, 0, 0, NULL, 0},
	{"site_id", WEB_SITE, 0, 0, 0, NULL, 0},
	{"user_id", WEB_USER, 0, 0, 0, NULL, 0},
	{"session_id", WEB_SESSION, 0, 0, 0, NULL, 0},
	{"link", WEB_LINK, 0, 0, 0, NULL, 0},
	{"link_hash", WEB_LINK_HASH, 0, 0, 0, NULL, 0},
	{"host", WEB_HOST, 0, 0, 0, NULL, 0},
	{"title", WEB_TITLE, 0, 0, 0, NULL, 0},
	{"referrer", WEB_FROM, 0, 0, 0, NULL, 0},
	{"referrer_hash", WEB_FROM_HASH, 0, 0, 0, NULL, 0},
	{"referrer_host", WEB_FROM_HOST, 0, 0, 0, NULL, 0},
	{"search_phrase", WEB_PHRASE, 0, 0, 0, NULL, 0},
	{"search_engine", WEB_ENGINE, 0, 0, 0, NULL, 0},
	{"address", WEB_ADDRESS, 0, 0, 0, NULL, 0},
	SMALL("advert_engine", 40, 30, 0),
	TEXT("campaign", campaigns, 90, 80, 0),
	TEXT("campaign_source", sources, COUNT(sources), 80, 0),
	TEXT("campaign_medium", media, COUNT(media), 80, 0),
	TEXT("campaign_term", topics, 600, 40, 0),
	TEXT("country", countries, COUNT(countries), 1000, 1),
	SMALL("region", 1200, 950, 2),
	TEXT("city", cities, 4000, 900, 3),
	TEXT("language", languages, COUNT(languages), 1000, 4),
	SMALL("time_zone", 25, 1000, 5),
	TEXT("browser", browsers, COUNT(browsers), 1000, 6),
	SMALL("browser_major", 120, 1000, 7),
	SMALL("browser_minor", 20, 1000, 0),
	TEXT("system", systems, COUNT(systems), 1000, 8),
	TEXT("system_version", systems, 90, 700, 9),
	TEXT("device", devices, COUNT(devices), 1000, 10),
	TEXT("device_maker", makers, COUNT(makers), 200, 11),
	TEXT("device_model", models, 200, 80, 12),
	SMALL("screen_width", 2600, 1000, 13),
	SMALL("screen_height", 1600, 1000, 14),
	SMALL("screen_depth", 33, 1000, 15),
	SMALL("window_width", 2600, 1000, 0),
	SMALL("window_height", 1600, 1000, 0),
	SMALL("has_touch", 2, 900, 0),
	SMALL("has_scripts", 2, 900, 0),
	SMALL("has_cookies", 2, 900, 0),
	SMALL("has_styles", 2, 900, 0),
	SMALL("has_fonts", 2, 900, 0),
	SMALL("has_video", 2, 900, 0),
	TEXT("connection", connections, COUNT(connections), 850, 16),
	TEXT("carrier", carriers, COUNT(carriers), 300, 17),
	TEXT("provider", carriers, 700, 900, 18),
	SMALL("load_ms", 20000, 970, 0),
	SMALL("lookup_ms", 400, 970, 0),
	SMALL("connect_ms", 900, 970, 0),
	SMALL("first_byte_ms", 3000, 970, 0),
	SMALL("render_ms", 8000, 970, 0),
	SMALL("response_bytes", 900000, 970, 0),
	SMALL("status", 600, 1000, 0),
	TEXT("method", methods, COUNT(methods), 1000, 0),
	TEXT("protocol", protocols, COUNT(protocols), 1000, 0),
	TEXT("server", servers, 30, 1000, 0),
	TEXT("cache_state", caches, COUNT(caches), 960, 0),
	SMALL("is_refresh", 2, 100, 0),
	SMALL("is_bounce", 2, 300, 0),
	SMALL("is_new_user", 2, 400, 0),
	SMALL("is_mobile", 2, 450, 0),
	SMALL("is_link", 2, 200, 0),
	SMALL("is_download", 2, 20, 0),
	SMALL("is_from_mail", 2, 30, 0),
	SMALL("is_error", 2, 15, 0),
	SMALL("is_robot", 2, 60, 0),
	SMALL("is_logged_in", 2, 250, 0),
	SMALL("is_hidden", 2, 50, 0),
	SMALL("is_framed", 2, 20, 0),
	SMALL("clicks", 90, 400, 0),
	SMALL("scroll_percent", 101, 800, 0),
	SMALL("seconds_on_page", 1800, 850, 0),
	SMALL("depth", 40, 1000, 0),
	SMALL("age_band", 7, 500, 19),
	SMALL("gender", 3, 500, 20),
	SMALL("income_band", 6, 300, 21),
	SMALL("interests", 20000, 400, 22),
	SMALL("previous_visits", 900, 600, 23),
	SMALL("days_since_last", 400, 600, 0),
	SMALL("goal", 60, 50, 0),
	SMALL("goal_cents", 90000, 50, 0),
	SMALL("cart_items", 12, 120, 0),
	SMALL("cart_cents", 500000, 120, 0),
	TEXT("currency", currencies, COUNT(currencies), 120, 0),
	TEXT("payment", payments, COUNT(payments), 40, 0),
	TEXT("coupon", coupons, 900, 15, 0),
	TEXT("section", sections, COUNT(sections), 980, 0),
	TEXT("topic", topics, COUNT(topics), 900, 0),
	TEXT("subtopic", topics, 300, 700, 0),
	TEXT("author", authors, 800, 500, 0),
	TEXT("tag", topics, 2000, 600, 0),
	TEXT("second_tag", topics, 2000, 300, 0),
	TEXT("test_name", tests, COUNT(tests), 250, 24),
	TEXT("test_branch", branches, COUNT(branches), 250, 25),
	TEXT("charset", charsets, COUNT(charsets), 990, 0),
	SMALL("counter_class", 9, 1000, 0),
	SMALL("counter_version", 30, 1000, 0),
	SMALL("client_hour", 24, 1000, 0),
	SMALL("client_weekday", 7, 1000, 0),
	TEXT("note", notes, COUNT(notes), 20, 0),
};

const uint32_t web_column_count = COUNT(web_columns);
