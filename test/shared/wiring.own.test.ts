import { beforeAll, expect, test } from 'vitest'
import * as z from 'zod'
import { functionsOf } from '../../infra/functions.ts'
import { CommonConnection, connectionBodies } from '../../shared/cloud/connections/bodies.ts'
import type { AnyConnectionKind } from '../../shared/cloud/connections/kind.ts'
import { announceCloud, defineCloud, type CloudRow } from '../../shared/cloud/cloud-row.ts'
import { CLOUDS } from '../../shared/clouds/all.ts'
import { PROTOCOLS } from '../../shared/endpoints/all.ts'
import { defineProtocol } from '../../shared/endpoint/protocol.ts'
import { fillRooms } from '../../shared/base/room.ts'
import { rulesOf } from '../../shared/http/rules.ts'
import { sealedRows } from '../../shared/keyring/sealed-rows.ts'
import type { AnyRotated } from '../../shared/work/schedule/job-operations/rotated.ts'
import { cloudCKeys } from '../../shared/clouds/cloud-c/keys/store.ts'
import { loadedKeyUsers } from '../../shared/vault/keys/lifecycle/key-users.ts'
import { roomsWith } from '../../shared/rooms.ts'

const { unsaved, create, update } = connectionBodies({ token: z.string() }, { token: z.string().optional() })

const kind: AnyConnectionKind = {
  bodies: { unsaved, create, update },
  shown: CommonConnection.extend({ service: z.literal('tiny') }),
  rules: [],
  fieldsOf: () => ({ cloud_name: 'tiny' }),
  made: () => ({ fields: { cloud_name: 'tiny' }, secrets: { token: 'secret' } }),
  changed: () => ({ fields: { cloud_name: 'tiny' } }),
  entryOf: () => ({}),
  test: () => Promise.resolve(),
  audited: [],
}

const tiny = defineCloud({
  name: 'tiny',
  containerList: 'boxes',
  rotation: {
    byAge: true,
    byExpiry: false,
    param: { field: 'tiny_param', schema: () => z.strictObject({ x: z.int() }) },
  },
  connection: () => Promise.resolve(kind),
  records: () => Promise.resolve({ containers: [], countKeys: () => Promise.resolve(0), purge: [] }),
  keyUser: () => Promise.resolve({ usesOf: () => Promise.resolve([{ noun: 'tiny key', count: 2 }]) }),
})

const tinyRotated: AnyRotated = {
  entity: cloudCKeys,
  facts: () => ({ live: true, createdAt: '2030-01-01T00:00:00Z' }),
  plan: () => ({ resource_name: 'tiny', container: 'tiny', quotaGroup: 'tiny', seconds: 0 }),
  single: () => ({ action: 'RotateTinyKey', may: 'keymgr-users' }),
  rotate: () => Promise.resolve('tiny'),
}

const tinyProtocol = defineProtocol({
  name: 'tiny-proxy',
  title: 'a proxy of tiny',
  described: () => Promise.resolve({ calls: [], callers: 'Nobody.', refused: z.object({}) }),
  dataPlane: 'tiny-data',
  dataPlaneHttp: { prefixes: ['/api/v1/keymgr/tiny-proxy/calls'], timeoutSeconds: 4, budgetMs: 500 },
  management: { group: 'tiny-proxy', prefixes: ['/api/v1/keymgr/tiny-proxy'] },
  auditLine: { read: () => undefined, details: { tinyReason: 'text' } },
  rotatedAs: 'tiny-endpoints',
  rotate: () => Promise.resolve(tinyRotated),
  sealed: { 'tiny-secret': () => Promise.resolve(() => Promise.resolve({ after: undefined, failures: 0 })) },
})

const clouds: readonly CloudRow[] = [...CLOUDS, tiny, announceCloud({ name: 'later', containerList: 'jars' })]

beforeAll(() => fillRooms(roomsWith(clouds, [...PROTOCOLS, tinyProtocol])))

test('a row supplies its connections, and one that is only announced is refused by name', async () => {
  const { routes } = await import('../../shared/cloud/connections/operations.ts')
  const paths = routes.map(({ method, path }) => `${method} ${path}`)
  expect(paths).toContain('POST /v1/connectionmgmt/services/tiny/connections')
  const { assertService } = await import('../../shared/cloud/connections/kinds.ts')
  expect(() => assertService('later')).toThrow('later is not offered yet.')
})

test('a row supplies the words of its containers and its parameters to job configurations', async () => {
  const { CreateJobConfig } = await import('../../shared/work/schedule/configs/model.ts')
  const config = { name: 'nightly', operation: 'keymgr_synchronization', run_at: '0 3 * * *' }
  const synchronization = { ...config, keymgr_synchronization_params: { cloud_name: 'tiny', boxes: ['one'] } }
  expect(CreateJobConfig().safeParse(synchronization).error).toBeUndefined()
  const rotation = {
    ...config,
    operation: 'keymgr_key_rotation',
    keymgr_key_rotation_params: { cloud_name: 'tiny', rotation_after: '30d', tiny_param: { x: 1 } },
  }
  expect(CreateJobConfig().safeParse(rotation).error).toBeUndefined()
  const wrong = { ...rotation, keymgr_key_rotation_params: { cloud_name: 'tiny', tiny_param: { x: 'one' } } }
  expect(CreateJobConfig().safeParse(wrong).error).toBeDefined()
})

test('a row is asked whether it uses a local key', async () => {
  const domain = { id: 'domain', name: 'domain' }
  const caller = { sub: 'user', username: 'user', domain, homeDomainId: domain.id, groups: [], sessionId: undefined }
  const asking = { caller, uses: () => undefined }
  const uses = await Promise.all(
    (await loadedKeyUsers()).map(({ usesOf }) => usesOf(asking, 'key', []).catch(() => [])),
  )
  expect(uses.flat()).toContainEqual({ noun: 'tiny key', count: 2 })
})

test("a protocol supplies the rotation of its endpoints' keys: all that joined, or those that expire", async () => {
  const { CreateJobConfig } = await import('../../shared/work/schedule/configs/model.ts')
  const { rotatedCloud, rotatedClouds } = await import('../../shared/work/schedule/job-operations/rotated-clouds.ts')
  const brokenBy = (params: object): string[] => {
    const keymgr_key_rotation_params = { cloud_name: 'tiny-endpoints', ...params }
    const body = { name: 'nightly', operation: 'keymgr_key_rotation', run_at: '0 3 * * *', keymgr_key_rotation_params }
    expect(CreateJobConfig().safeParse(body).error).toBeUndefined()
    return rulesOf(CreateJobConfig()).flatMap(({ field, broken }) => (broken(body) === false ? [] : [field]))
  }
  expect(brokenBy({ expire_in: '30d' })).toEqual([])
  expect(brokenBy({ rotation_after: '30d' })).toEqual(['keymgr_key_rotation_params/rotation_after'])
  expect(rotatedClouds()).toContain('tiny-endpoints')
  expect(await rotatedCloud('tiny-endpoints')).toBe(tinyRotated)
})

test('a protocol supplies the values that a new domain key seals again', async () => {
  const row = sealedRows().find(({ name }) => name === 'tiny-secret')
  expect(await (await row?.load())?.('domain', undefined, new Date())).toEqual({ after: undefined, failures: 0 })
})

test('rows supply the functions of their groups and data planes, with prefixes, grants and time limits', () => {
  const functions = functionsOf(clouds, [...PROTOCOLS, tinyProtocol])
  expect(functions.find(({ name }) => name === 'tiny')).toMatchObject({
    prefixes: ['/api/v1/keymgr/tiny'],
    grants: ['reads', 'writes', 'opens', 'starts-flows'],
    loads: [
      'certificateTrust',
      'decisions',
      'approvals',
      'applications',
      'tiny/*',
      'keyUser',
      'dependents.local-key',
      'groupDirectory',
    ],
  })
  expect(functions.find(({ name }) => name === 'tiny-data')).toMatchObject({ timeoutSeconds: 4 })
  expect(functions.some(({ name }) => name === 'later')).toBe(false)
})
