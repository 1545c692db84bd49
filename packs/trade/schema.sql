-- A wholesaler: what is bought where, and sold to whom. Every order has one to seven lines, every product
-- is offered by four suppliers.

CREATE TABLE regions (
    region_id   bigint,
    region_name text
) WITH (files = 'regions.csv');

CREATE TABLE countries (
    country_id   bigint,
    country_name text,
    region_id    bigint
) WITH (files = 'countries.csv');

CREATE TABLE suppliers (
    supplier_id   bigint,
    supplier_name text,
    street        text,
    country_id    bigint,
    phone         text,
    balance       numeric(12,2),
    remark        text
) WITH (files = 'suppliers.csv');

CREATE TABLE customers (
    customer_id   bigint,
    customer_name text,
    street        text,
    country_id    bigint,
    phone         text,
    balance       numeric(12,2),
    segment       text,
    remark        text
) WITH (files = 'customers.csv');

CREATE TABLE products (
    product_id   bigint,
    product_name text,
    maker        text,
    brand        text,
    kind         text,
    size         int,
    packing      text,
    list_price   numeric(12,2)
) WITH (files = 'products.csv');

CREATE TABLE offers (
    product_id  bigint,
    supplier_id bigint,
    stock       int,
    cost        numeric(12,2),
    remark      text
) WITH (files = 'offers.csv');

CREATE TABLE orders (
    order_id    bigint,
    customer_id bigint,
    status      text,
    total       numeric(12,2),
    ordered_on  date,
    urgency     text,
    clerk       text,
    remark      text
) WITH (files = 'orders.csv');

CREATE TABLE lines (
    order_id    bigint,
    line_no     int,
    product_id  bigint,
    supplier_id bigint,
    quantity    numeric(12,2),
    price       numeric(12,2),
    discount    numeric(12,2),
    tax         numeric(12,2),
    returned    text,
    status      text,
    shipped_on  date,
    promised_on date,
    received_on date,
    handling    text,
    carrier     text,
    remark      text
) WITH (files = 'lines.csv');
