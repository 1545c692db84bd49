-- A chain of coffee shops: monthly files, a folder a table.
--
-- Amounts keep the digits they have in the files: numeric without a precision is exact and prints
-- 78.0 as 78.0. user_id is written as a float (17272.0) and empty for guests; a bigint column reads
-- that as the integer it is.

CREATE TABLE transactions (
    transaction_id    text,
    store_id          bigint,
    payment_method_id bigint,
    voucher_id        text,
    user_id           bigint,
    original_amount   numeric,
    discount_applied  numeric,
    final_amount      numeric,
    created_at        timestamp
) WITH (files = 'transactions/*.csv');

CREATE TABLE transaction_items (
    transaction_id text,
    item_id        bigint,
    quantity       bigint,
    unit_price     numeric,
    subtotal       numeric,
    created_at     timestamp
) WITH (files = 'transaction_items/*.csv');

CREATE TABLE stores (
    store_id    bigint,
    store_name  text,
    street      text,
    postal_code text,
    city        text,
    state       text,
    latitude    double precision,
    longitude   double precision
) WITH (files = 'stores/*.csv');

CREATE TABLE menu_items (
    item_id        bigint,
    item_name      text,
    category       text,
    price          numeric,
    is_seasonal    boolean,
    available_from text,
    available_to   text
) WITH (files = 'menu_items/*.csv');

CREATE TABLE users (
    user_id       bigint,
    gender        text,
    birthdate     date,
    registered_at timestamp
) WITH (files = 'users/*.csv');
