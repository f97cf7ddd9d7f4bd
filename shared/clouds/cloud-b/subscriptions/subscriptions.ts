import type * as z from 'zod'
import { counted } from '../../../base/counted.ts'
import { Refusal } from '../../../base/errors.ts'
import { commonFields, resourceUri, uuid } from '../../../base/ids.ts'
import type { Context } from '../../../http/context.ts'
import { resource } from '../../../resource/resource.ts'
import { Stale } from '../../../store/changes.ts'
import type { Stored } from '../../../store/entity.ts'
import { writeTogether } from '../../../store/write-together.ts'
import type { CloudBSubscription as CloudBSubscriptionRead } from '../adapter/types.ts'
import { cloudB } from '../adapter.ts'
import { entryOf } from '../place.ts'
import { connectionNamed, type OwnConnection } from '../reached.ts'
import {
  CloudBSubscription,
  SubscriptionQuery,
  type FindSubscriptions,
  type FoundSubscriptions,
} from '../vaults/model.ts'
import { cloudBVaults, vaultsOfSubscription } from '../vaults/store.ts'
import { cloudBSubscriptions, SUBSCRIPTIONS } from './store.ts'

/**
 * The subscriptions that a connection can see, as listed by its cloud. Read once per request. @throws Refusal CLOUD_…
 */
export const subscriptionsOf = (context: Context, stored: OwnConnection): Promise<readonly CloudBSubscriptionRead[]> =>
  context.once(`cloud-b subscriptions ${stored.item.id} ${stored.rev}`, async () => {
    const found = await cloudB.subscriptions(await entryOf(context, stored))
    return found.map((one) => ({ ...one, subscription_id: one.subscription_id.toLowerCase() }))
  })

/** Fields of a record from the cloud, and the connection that found it. */
const factsOf = (read: CloudBSubscriptionRead, { item: { name, cloud_name } }: OwnConnection) => ({
  subscription_id: read.subscription_id,
  display_name: read.display_name,
  tenant_id: read.tenant_id,
  state: read.state,
  cloud_name,
  connection: name,
})

const uriOf = (domain: string, id: string): string => resourceUri(domain, 'keymgr', 'cloud-b-subscription', id)

/** The record of a newly found subscription. */
export function newSubscription(
  { caller, now }: Pick<Context, 'caller' | 'now'>,
  read: CloudBSubscriptionRead,
  connection: OwnConnection,
): CloudBSubscription {
  const id = uuid(now)
  const domain = caller.domain.id
  return { ...commonFields(domain, id, uriOf(domain, id), now), ...factsOf(read, connection) }
}

/** The stored subscription with this id in the cloud, if any. */
export async function subscriptionStored(domain: string, key: string): Promise<Stored<CloudBSubscription> | undefined> {
  const id = await cloudBSubscriptions.member(domain, { name: SUBSCRIPTIONS, key })
  return id === undefined ? undefined : cloudBSubscriptions.get(domain, id)
}

interface Change {
  readonly before: Stored<CloudBSubscription> | undefined
  readonly after: CloudBSubscription
}

/** Stores new and changed subscriptions. Ours: not in the request's transaction, which they could exceed. */
async function store(
  context: Context,
  reads: readonly CloudBSubscriptionRead[],
  connection: OwnConnection,
): Promise<void> {
  const { caller, now } = context
  const domain = caller.domain.id
  const ids = await cloudBSubscriptions.membersBy(
    domain,
    SUBSCRIPTIONS,
    reads.map(({ subscription_id }) => subscription_id),
  )
  const stored = await cloudBSubscriptions.getMany(domain, [...ids.values()])
  const byKey = new Map(stored.map((one) => [one.item.subscription_id, one]))
  const changes = reads.flatMap((read): Change[] => {
    const before = byKey.get(read.subscription_id)
    if (before === undefined) return [{ before, after: newSubscription(context, read, connection) }]
    const after = { ...before.item, ...factsOf(read, connection) }
    if (JSON.stringify(after) === JSON.stringify(before.item)) return []
    return [{ before, after: { ...after, updatedAt: now.toISOString() } }]
  })
  await writeTogether(changes, now, (together, { before, after }) => {
    if (before === undefined)
      together.create(cloudBSubscriptions, domain, after, () => new Stale('It is stored by now'))
    else together.update(cloudBSubscriptions, domain, before, after)
  })
}

/** Reads the subscriptions of a connection from the cloud, and stores each. @throws Refusal NOT_FOUND, CLOUD_… */
export async function findSubscriptions(
  context: Context,
  body: z.output<typeof FindSubscriptions>,
): Promise<z.input<typeof FoundSubscriptions>> {
  const connection = await connectionNamed(context, body.connection)
  const { uri, name, cloud_name } = connection.item
  const reads = await subscriptionsOf(context, connection)
  await store(context, reads, connection)
  context.about({ uri, name, after: { subscriptions: reads.length } })
  return { subscriptions: reads.map((read) => ({ ...read, cloud_name })) }
}

/** The subscriptions of a domain. One with vaults cannot be removed; its removal does not affect the cloud. */
export const subscriptions = resource({
  entity: cloudBSubscriptions,
  noun: 'subscription',
  title: 'Cloud-b Subscription',
  at: '/v1/keymgr/cloud-b/subscriptions',
  reads: 'keymgr-admins',
  changes: 'keymgr-admins',
  answers: CloudBSubscription,
  query: SubscriptionQuery,
  patterns: ['display_name'],
  uri: uriOf,
  nameOf: ({ display_name }) => display_name,
  audited: ['subscription_id'],
  release: async ({ caller }, { display_name, subscription_id }) => {
    const { length } = await cloudBVaults.members(caller.domain.id, vaultsOfSubscription(subscription_id))
    if (length > 0)
      throw new Refusal(
        'IN_USE',
        `${counted(length, 'vault')} of the subscription ${display_name} must be removed first: the list of vaults finds them by subscription_id=${subscription_id}.`,
      )
  },
})
