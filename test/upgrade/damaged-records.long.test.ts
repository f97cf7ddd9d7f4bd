import * as path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DynamoDBClient, paginateScan, UpdateItemCommand, type AttributeValue } from '@aws-sdk/client-dynamodb'
import { createClock } from '../../infra/local/clock.ts'
import { Refusal } from '../../shared/base/errors.ts'
import { loadedOf } from '../../shared/base/room.ts'
import { DAY_MS, later } from '../../shared/base/time.ts'
import { sealedRows } from '../../shared/keyring/sealed-rows.ts'
import type { Entity } from '../../shared/store/entity.ts'
import { itemKey, kindOfPartition } from '../../shared/store/layout.ts'
import { temporaryFolder } from '../infra/local/deployment-support.ts'
import { allEntities } from '../support/all-entities.ts'
import { pointProcessAt } from '../support/own-process.ts'
import { Service } from '../support/service.ts'
import { startTestDeployment } from '../support/test-deployment.ts'
import { KEPT, resourcesOf, unpack, type Expected } from './kept.ts'
import '../../shared/wiring.ts'

/** Kinds of which the deployment or its administrator has one: without it no request is served. */
const NEEDED = [
  ...['domain', 'domain-key', 'signing-key', 'request-key', 'login-record', 'group'],
  ...['audit-log', 'evidence-key'], // one in each domain: its lists say that it is damaged
]
/** Answered from a cloud, whose simulator starts empty. */
const OF_A_CLOUD = '/v1/keymgr/datacust/applications'

/** Kinds whose records a domain's purge leaves: to its last step, to later sweeps, or for as long as audit records are kept. */
const LEFT = [
  ...['policy', 'refresh-token', 'user', 'job-config-state', 'report-part'],
  ...['audit-record', 'audit-log', 'audit-tree-check', 'evidence-key'],
  'client-profile', // of the root domain only, which is never purged
]

type Item = Readonly<Record<string, AttributeValue>>

/** The items of a domain with a schema, by kind. */
async function itemsByKind({ deployment: { table } }: Service, domain: string, kinds: ReadonlySet<string>) {
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' }
  const client = new DynamoDBClient({ endpoint: table.endpoint, region: 'us-east-1', credentials })
  const items: Item[] = []
  for await (const { Items = [] } of paginateScan({ client }, { TableName: table.name })) items.push(...Items)
  const isItem = ({ pk, sk }: Item, kind: string): boolean => pk?.S === itemKey(domain, kind, sk?.S ?? '').pk
  const found = items.flatMap((item) => {
    const kind = kindOfPartition(item.pk?.S ?? '') ?? ''
    return kinds.has(kind) && isItem(item, kind) && item.data?.S !== undefined ? [{ kind, item }] : []
  })
  return { client, table: table.name, byKind: Map.groupBy(found, ({ kind }) => kind) }
}

/** The data of an item with one field that breaks its schema; `undefined` if no field can. */
function withBrokenField({ schema }: Entity<unknown, unknown>, { data }: Item): string | undefined {
  const whole = JSON.parse(data?.S ?? '') as Readonly<Record<string, unknown>>
  for (const field of Object.keys(whole).toReversed()) {
    if (['id', 'uri', 'name', 'username'].includes(field)) continue
    const broken = { ...whole, [field]: { absurd: [field] } }
    if (!schema.safeParse(broken).success) return JSON.stringify(broken)
  }
  return undefined
}

/** One record of every kind lacks a valid field; if a second one exists, it lacks all fields. */
describe('with damaged records of every kind', () => {
  let service: Service
  let expected: Expected
  let token = ''
  /** ids by kind, each with the work for which the item was due */
  const damaged = new Map<string, { readonly id: string; readonly due: string | undefined }[]>()

  beforeAll(async () => {
    const dataDir = temporaryFolder()
    expected = unpack(path.join(KEPT, '0.1.0.tar.gz'), dataDir)
    const clock = createClock()
    clock.set(new Date(expected.at))
    service = new Service(await startTestDeployment({ inMemory: false, dataDir, clock }))
    pointProcessAt(service.deployment.environmentOf('triggers'))
    const entities = await allEntities()
    token = await service.logIn()
    const { body: self } = await service.call('GET', '/v1/auth/self/user', { token })
    const { client, table, byKind } = await itemsByKind(service, service.domain.id, new Set(entities.keys()))
    for (const [kind, items] of byKind) {
      const entity = entities.get(kind)
      if (entity === undefined || NEEDED.includes(kind)) continue
      const [one, another] = items.filter(({ item }) => item.sk?.S !== self.user_id).toReversed()
      const isOnly = another === undefined && damaged.size % 2 === 0
      const ways = [
        ...(one === undefined ? [] : [{ item: one.item, data: isOnly ? '{}' : withBrokenField(entity, one.item) }]),
        ...(another === undefined || items.length < 3 ? [] : [{ item: another.item, data: '{}' }]),
      ]
      for (const { item, data } of ways) {
        if (data === undefined) continue
        const key = { pk: item.pk as AttributeValue, sk: item.sk as AttributeValue }
        await client.send(
          new UpdateItemCommand({
            ...{ TableName: table, Key: key, UpdateExpression: 'SET #data = :data' },
            ...{ ExpressionAttributeNames: { '#data': 'data' }, ExpressionAttributeValues: { ':data': { S: data } } },
          }),
        )
        const due = entity.due?.(entity.schema.parse(JSON.parse(item.data?.S ?? '')))?.what
        damaged.set(kind, [...(damaged.get(kind) ?? []), { id: item.sk?.S ?? '', due }])
      }
    }
    client.destroy()
    expect(damaged.size).toBeGreaterThan(30)
  })
  afterAll(() => service.deployment.stop())

  test('every list is answered with all its members', async () => {
    const faults: string[] = []
    for (const [list, kept] of Object.entries(expected.lists)) {
      if (list === OF_A_CLOUD) continue
      const resources = await resourcesOf(`${service.deployment.baseUrl}/api`, token, list)
      if (resources === undefined) faults.push(`${list} refused`)
      else if (resources.length < kept.length) faults.push(`${list}: ${resources.length} of ${kept.length}`)
    }
    expect(faults).toEqual([])
  })

  test('domain keys rotate: the damaged records are counted, all others are sealed again', async () => {
    const { domain } = service
    const now = new Date(expected.at)
    const faults: string[] = []
    for (const { name, load } of sealedRows()) {
      const again = await load()
      let after: string | undefined
      do {
        const round = await again(domain.id, after, now).catch((error: unknown) => {
          faults.push(`${name}: ${String(error)}`)
          return { after: undefined, failures: 0 }
        })
        after = round.after
      } while (after !== undefined)
    }
    expect(faults).toEqual([])
  })

  test('inventories, counts and everything that rooms find by themselves end', async () => {
    const faults: string[] = []
    const domain = service.domain.id
    const tried = async (what: string, work: () => unknown): Promise<void> => {
      try {
        await work()
      } catch (error) {
        faults.push(`${what}: ${String(error)}`)
      }
    }
    for (const inventory of (await loadedOf('inventory')).flat()) {
      await tried(`keys of ${inventory.where}`, async () => {
        if (inventory.keys) for await (const page of inventory.keys(domain)) expect(page).toBeDefined()
      })
      await tried(`certificates of ${inventory.where}`, () => inventory.certificates?.(domain))
    }
    expect(faults).toEqual([])
  })

  test('everything due ends', async () => {
    const rows = (await loadedOf('sweeps')).flat()
    const now = later(new Date(expected.at), 5_000 * DAY_MS)
    const faults: string[] = []
    let done = 0
    for (const [kind, items] of damaged)
      for (const { id, due } of items) {
        const row = rows.find((one) => one.due === due)
        if (row === undefined) continue
        done++
        const item = { domain: service.domain.id, entity: kind, id }
        await row.work(item, { now, hasTime: () => true }).catch((error: unknown) => {
          if (!(error instanceof Refusal) || error.reason !== 'DAMAGED') faults.push(`${row.due}: ${String(error)}`)
        })
      }
    expect(done).toBeGreaterThan(5)
    expect(faults).toEqual([])
  })

  test('the purge of the domain removes everything', async () => {
    const now = later(new Date(expected.at), 5_000 * DAY_MS)
    const faults: string[] = []
    for (const step of (await loadedOf('purge')).flat()) {
      let turns = 0
      try {
        while (await step(service.domain.id, now)) if (++turns > 500) throw new Error('it does not end')
      } catch (error) {
        faults.push(`${step.name} ${turns}: ${String((error as Error).stack).slice(0, 600)}`)
      }
    }
    expect(faults).toEqual([])
    const { byKind, client } = await itemsByKind(service, service.domain.id, new Set(damaged.keys()))
    client.destroy()
    expect([...byKind.keys()].filter((kind) => !LEFT.includes(kind))).toEqual([])
  })
})
