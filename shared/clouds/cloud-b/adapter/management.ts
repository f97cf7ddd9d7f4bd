import * as z from 'zod'
import { defined } from '../../../base/fields.ts'
import { Refusal } from '../../../base/errors.ts'
import { object } from '../../../base/lazy-fields.ts'
import { call } from './client.ts'
import { addressOf, scopeOf } from './hosts.ts'
import { allPages, type LinkedPage } from './items.ts'
import { checkedLink } from './names.ts'
import type { CloudB, CloudBEntry, CloudBPage, CloudBPageQuery, CloudBSubscription, CloudBVaultRead } from './types.ts'

const SUBSCRIPTIONS_VERSION = '2022-12-01'
const VAULTS_VERSION = '2025-05-01'
/** Largest page when a single vault is searched for. */
const A_PAGE = 200

const SUBSCRIPTION = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

const Subscription = object(() => ({
  subscriptionId: z.string(),
  displayName: z.string().default(''),
  tenantId: z.string().default(''),
  state: z.string().default(''),
}))

/** Addresses end with a slash; pools have theirs in another member. */
const Vault = object(() => ({
  id: z.string(),
  name: z.string(),
  location: z.string().default(''),
  tags: z.record(z.string(), z.string()).nullish(),
  properties: z.object({
    tenantId: z.string().default(''),
    sku: z.object({ name: z.string() }).optional(),
    vaultUri: z.string().optional(),
    hsmUri: z.string().optional(),
    enableSoftDelete: z.boolean().nullish(),
    softDeleteRetentionInDays: z.int().nullish(),
    enablePurgeProtection: z.boolean().nullish(),
  }),
}))

const pageOf = <Item extends z.ZodType>(item: Item) =>
  object(() => ({ value: z.array(item).nullish(), nextLink: z.string().nullish() }))
const SubscriptionPage = pageOf(Subscription)
const VaultPage = pageOf(Vault)

const originOf = ({ connection }: CloudBEntry): string => addressOf(connection.cloud_name, 'management')

async function page<Item extends z.ZodType>(
  entry: CloudBEntry,
  url: URL,
  reply: ReturnType<typeof pageOf<Item>>,
): Promise<LinkedPage<z.infer<Item>>> {
  const scope = scopeOf(entry.connection.cloud_name, 'management')
  const { value, nextLink } = await call(entry, { method: 'GET', url, scope, reply })
  return { items: value ?? [], next: nextLink ? nextLink : undefined }
}

const subscriptionPage = (entry: CloudBEntry, link: string | undefined) =>
  page(
    entry,
    new URL(link ?? `${originOf(entry)}/subscriptions?api-version=${SUBSCRIPTIONS_VERSION}`),
    SubscriptionPage,
  )

const subscriptionRead = (of: z.infer<typeof Subscription>): CloudBSubscription => ({
  subscription_id: of.subscriptionId,
  display_name: of.displayName,
  tenant_id: of.tenantId,
  state: of.state,
})

export const subscriptions: CloudB['subscriptions'] = async (entry) =>
  (await allPages(originOf(entry), (link) => subscriptionPage(entry, link))).map(subscriptionRead)

/** Lists subscriptions, to verify that the credentials are accepted. */
export const test: CloudB['test'] = async (connection, budget) => {
  await subscriptionPage({ connection, budget, patience: 'request' }, undefined)
}

type Type = 'vaults' | 'managedHSMs'

function vaultRead({ id, name, location, tags, properties }: z.infer<typeof Vault>, type: Type): CloudBVaultRead {
  const [, , subscription_id = '', , resource_group = ''] = id.split('/')
  const managed_hsm = type === 'managedHSMs'
  const { tenantId, sku, vaultUri, hsmUri, softDeleteRetentionInDays: days } = properties
  return {
    name,
    cloud_vault_id: id,
    subscription_id,
    resource_group,
    location,
    tenant: tenantId,
    sku: managed_hsm ? 'managed-hsm' : sku?.name.toLowerCase() === 'premium' ? 'premium' : 'standard',
    managed_hsm,
    vault_url: (managed_hsm ? (hsmUri ?? '') : (vaultUri ?? '')).replace(/\/+$/, ''),
    soft_delete_enabled: properties.enableSoftDelete ?? managed_hsm,
    ...(typeof days === 'number' && { soft_delete_retention_days: days }),
    purge_protection: properties.enablePurgeProtection === true,
    tags: tags ?? {},
  }
}

const pathOf = (subscription: string, type: Type): string => {
  if (!SUBSCRIPTION.test(subscription)) throw new Refusal('RULE_BROKEN', 'subscription_id must be a UUID.')
  return `/subscriptions/${subscription}/providers/Microsoft.KeyVault/${type}`
}

/** @throws Refusal CLOUD_INVALID for a link to anything but another page of the same list */
function urlOf(entry: CloudBEntry, type: Type, { subscription_id, limit, next_link: link }: CloudBPageQuery): URL {
  const path = pathOf(subscription_id, type)
  const origin = originOf(entry)
  if (link === undefined) return new URL(`${origin}${path}?api-version=${VAULTS_VERSION}&$top=${limit}`)
  const url = new URL(checkedLink(link, origin))
  if (url.pathname.toLowerCase() === path.toLowerCase()) return url
  throw new Refusal('CLOUD_INVALID', 'The list cannot be continued: its link leads to another list.')
}

async function vaultPage(entry: CloudBEntry, type: Type, query: CloudBPageQuery): Promise<CloudBPage<CloudBVaultRead>> {
  const { items, next } = await page(entry, urlOf(entry, type, query), VaultPage)
  return { items: items.map((item) => vaultRead(item, type)), ...defined({ next_link: next }) }
}

export const vaults: CloudB['vaults'] = (entry, query) => vaultPage(entry, 'vaults', query)
export const managedHsms: CloudB['managedHsms'] = (entry, query) => vaultPage(entry, 'managedHSMs', query)

/** Vault names are unique in the whole cloud, so the first match is the vault; its resource group may have changed. */
export const vault: CloudB['vault'] = async (entry, { subscription_id, name, managed_hsm }) => {
  const type: Type = managed_hsm ? 'managedHSMs' : 'vaults'
  let next_link: string | undefined
  do {
    const { items, next_link: next } = await vaultPage(entry, type, { subscription_id, limit: A_PAGE, next_link })
    const found = items.find((each) => each.name.toLowerCase() === name.toLowerCase())
    if (found !== undefined) return found
    next_link = next
  } while (next_link !== undefined)
  return undefined
}
