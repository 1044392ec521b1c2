import { sender } from '../../sender.js';
import { bodyHmacBase64 } from '../../signatures.js';

const ORDER = '{name|order_number:bold}<< of {customer.first_name} {customer.last_name}>>';
const ITEMS = ['line_items', '{quantity} × {name|title}'] as const;

export const shopify = sender({
  name: 'shopify',
  displayName: 'Shopify',
  docs: 'https://shopify.dev/docs/api/webhooks',
  event: '{#x-shopify-topic}',
  signature: bodyHmacBase64('x-shopify-hmac-sha256'),
  topic: "order {name|order_number|title|'Shopify'}",
  events: {
    'orders/create': {
      text: `New order ${ORDER}<<: {current_total_price|total_price} {currency}>><<, {financial_status}>>.`,
      each: ITEMS,
    },
    'orders/paid': `Order ${ORDER} is **paid**<<: {current_total_price|total_price} {currency}>>.`,
    'orders/fulfilled': `Order ${ORDER} is **fulfilled**.`,
    'orders/partially_fulfilled': `Order ${ORDER} is **partially fulfilled**.`,
    'orders/cancelled': `Order ${ORDER} was **cancelled**<<: {cancel_reason}>>.`,
    'refunds/create': { topic: 'refunds', text: 'Order {order_id:bold} was refunded<<: {note}>>.' },
    'customers/create': { topic: 'customers', text: 'New customer {first_name} {last_name}.' },
    'products/create': { topic: 'products', text: 'New product {title:bold}.' },
    'products/delete': { topic: 'products', text: 'The product {id:code} was deleted.' },
  },
  quiet: [
    'orders/updated',
    'orders/edited',
    'customers/update',
    'products/update',
    'carts/*',
    'checkouts/*',
    'inventory_levels/*',
  ],
});
