import { randomInt, randomUUID } from 'node:crypto'
import { PutItemCommand, TransactWriteItemsCommand, type TransactWriteItem } from '@aws-sdk/client-dynamodb'
import { localKeyId, ROOT_DOMAIN_ID, uuid } from '../shared/base/ids.ts'
import { tidyRank } from '../shared/store/rank.ts'
import { exactly, type Figure } from './figure.ts'
import { compare, versus } from './rounds.ts'
import {
  assertStatus,
  bareClient,
  listOf,
  NO_CONTEXT,
  startService,
  sumOf,
  tableCallsOf,
  type BenchService,
  type MakeEvent,
} from './service.ts'

const SHARDS = 16
/** An instance tidies each rank after 400 additions: a round of this many includes its share of tidying. */
const CREATES_A_ROUND = { turns: 20, calls: 20 }
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/g
const KEY_ID = /[0-9a-f]{64}/g

/**
 * POST of an AES key through the whole handler, against the one transaction it needs: at most 1.5. The bare side sends
 * the transaction of a real create, with items of the same size, into a domain of its own.
 */
export async function measure(): Promise<Figure[]> {
  const service = await startService()
  const client = bareClient()
  try {
    const { vault, event, administrator } = service
    let made = 0
    const create = () => {
      const body = { name: `bench-${String(made++).padStart(8, '0')}`, algorithm: 'aes', size: 256 }
      return event('POST', '/api/v1/vault/keys2', { body, as: administrator })
    }
    await tidiedRanks(service, create)
    const { counts, calls } = await tableCallsOf(service, create, 201)
    const sent = calls().find(({ operation }) => operation === 'TransactWriteItems')?.request
    if (sent === undefined) throw new Error('The handler wrote nothing')
    const items = (sent as { TransactItems: TransactWriteItem[] }).TransactItems
    const fresh = replay(items, `bench-${String(made - 1).padStart(8, '0')}`)
    for (const shard of fresh.shards) await client.send(new PutItemCommand(shard))

    let ready: TransactWriteItem[][] = []
    const outcome = await compare({
      ours: {
        run: async (times) => {
          for (let at = 0; at < times; at++) assertStatus(await vault(await create(), NO_CONTEXT), 201)
        },
      },
      bare: {
        prepare: (times) => (ready = Array.from({ length: times }, fresh.transaction)),
        run: async () => {
          for (const TransactItems of ready)
            await client.send(new TransactWriteItemsCommand({ TransactItems, ClientRequestToken: randomUUID() }))
        },
      },
      rounds: 9,
      warmUp: 1,
      ...CREATES_A_ROUND,
    })
    return [
      {
        name: 'create key / its transaction',
        measured: outcome.ratio,
        promise: { atMost: 1.5 },
        note: `${versus(outcome)}, ${items.length} writes`,
      },
      {
        name: 'create key: table calls',
        measured: exactly(sumOf(counts)),
        promise: { exactly: 1 },
        note: listOf(counts),
      },
    ]
  } finally {
    client.destroy()
    await service.stop()
  }
}

/** After the first tidying, all shards of a rank exist, and every create writes the same items. */
async function tidiedRanks({ vault }: BenchService, create: () => ReturnType<MakeEvent>): Promise<void> {
  assertStatus(await vault(await create(), NO_CONTEXT), 201)
  for (const entity of ['local-key', 'audit-record']) await tidyRank(ROOT_DOMAIN_ID, entity)
}

/**
 * The transaction of a real create with new keys: ids, names and shards differ each time, lengths and order stay the
 * same.
 */
function replay(items: readonly TransactWriteItem[], name: string) {
  const now = new Date()
  const domain = randomUUID()
  const template = JSON.stringify(items).replaceAll(ROOT_DOMAIN_ID, domain)
  const ids = [...new Set([...(template.match(KEY_ID) ?? []), ...(template.match(UUID) ?? [])])]
  let made = 0
  const transaction = (): TransactWriteItem[] => {
    let text = template.replaceAll(name, `other-${String(made++).padStart(8, '0')}`)
    for (const id of ids) text = text.replaceAll(id, id.length === 64 ? localKeyId(now) : uuid(now))
    text = text.replaceAll(/shard#\d\d/g, () => shardName(randomInt(SHARDS)))
    return JSON.parse(text) as TransactWriteItem[]
  }
  const updates = (JSON.parse(template) as TransactWriteItem[]).flatMap(({ Update }) => (Update ? [Update] : []))
  const shards = updates.flatMap(({ TableName, Key, ExpressionAttributeValues: values }) =>
    Array.from({ length: SHARDS }, (_, n) => ({
      TableName,
      Item: { ...Key, sk: { S: shardName(n) }, epoch: values?.[':epoch'] ?? { N: '0' }, writes: { N: '0' } },
    })),
  )
  return { transaction, shards }
}

const shardName = (n: number): string => `shard#${String(n).padStart(2, '0')}`
