import { describe, expect } from 'vitest'
import { useInterrupting, type Interruptible, type Interruption } from '../interrupted.ts'
import { CONNECTIONS, DATACUST, groupNamed, KEYS, mainBody } from './datacust.ts'

/**
 * The process dies at every one of its calls, one after the other: after each call to the cloud and each write of the
 * table has taken effect, before its answer arrives. Then the same request is repeated, or the sweeper runs. The
 * outcome must be one key, one version or one reference, as without the interruption.
 */
const { deployment, ok, interrupted, atEveryCall } = useInterrupting({
  cloud: 'datacust',
  settles: true,
  prepare: async () => {
    await ok('POST', CONNECTIONS, mainBody(deployment().datacust))
    const group_id = ['finance', 'outpost'].map((name) => groupNamed(deployment().datacust, name).id)
    await ok('POST', `${DATACUST}/add-groups`, { connection: 'main', group_id })
    await ok('POST', '/v1/vault/keys2', { name: 'source', algorithm: 'aes', size: 256 })
    await ok('POST', '/v1/vault/keys2', { name: 'next', algorithm: 'aes', size: 256 })
  },
})

const AES = { type: 'AES', operations: ['ENCRYPT', 'DECRYPT'] }
const native = (name: string): object => ({ group: 'finance', name, size: 256, ...AES })
const uploaded = (name: string, group: string): object => ({ group, name, source_key_identifier: 'source', ...AES })
const made = async (name: string): Promise<string> => (await ok('POST', KEYS, native(name))).id
const madeAway = async (name: string): Promise<string> =>
  (await ok('POST', `${DATACUST}/upload-key`, uploaded(name, 'outpost'))).id

/** A request about the key `name` that is interrupted, and the expected result. */
interface Interrupted extends Interruptible {
  readonly group?: 'outpost'
  readonly versions?: number
  /** the record in the end */
  readonly record?: object
  readonly references?: number
}

const OPERATIONS: Readonly<Record<string, Interrupted>> = {
  create: { request: (name) => ({ path: KEYS, body: native(name) }) },
  upload: {
    request: (name) => ({ path: `${DATACUST}/upload-key`, body: uploaded(name, 'finance') }),
    record: { origin: 'keymgr' },
  },
  'an upload into a group of AWS': {
    request: (name) => ({ path: `${DATACUST}/upload-key`, body: uploaded(name, 'outpost') }),
    group: 'outpost',
    record: { origin: 'keymgr' },
  },
  'a version of the cloud own': {
    prepare: made,
    request: (_name, id) => ({ path: `${KEYS}/${id}/versions`, body: { is_native: true } }),
    versions: 2,
  },
  'a version of a local key': {
    prepare: made,
    request: (_name, id) => ({ path: `${KEYS}/${id}/versions`, body: { source_key_identifier: 'next' } }),
    versions: 2,
  },
  'a version of a local key in a group of AWS': {
    prepare: madeAway,
    request: (_name, id) => ({ path: `${KEYS}/${id}/versions`, body: { source_key_identifier: 'next' } }),
    group: 'outpost',
    versions: 2,
  },
  'a change': {
    prepare: made,
    request: (_name, id) => ({ method: 'PATCH', path: `${KEYS}/${id}`, body: { enabled: false } }),
    record: { status: 'DISABLED' },
  },
  'a dynamic reference': {
    prepare: made,
    request: (name, key_id) => ({ path: `${DATACUST}/dkr`, body: { name: name.replace('-', ' '), key_id } }),
    references: 1,
  },
}

let runs = 0

/**
 * Interrupts the request once, continues it in one way, and checks the result. @returns whether the process died at all
 */
async function once(operation: Interrupted, interruption: Interruption): Promise<boolean> {
  const { group, versions = 1, record = {}, references = 0 } = operation
  const name = `run-${++runs}`
  const { died, told } = await interrupted(name, operation, interruption)
  const { total, resources } = await ok('GET', `${KEYS}?name=${name}`)
  expect(total, told).toBe(1)
  const { id } = resources[0]
  expect(await ok('POST', `${KEYS}/${id}/refresh`), told).toMatchObject({ version_count: versions, ...record })
  const groupId = groupNamed(deployment().datacust, group ?? 'finance').id
  const named = deployment()
    .datacust.keysIn(groupId)
    .filter((one) => one.name === name)
  expect(named, told).toMatchObject([{ versions: Array.from({ length: versions }, (_, number) => number) }])
  expect((await ok('GET', `${KEYS}/${id}/versions`)).total, told).toBe(versions)
  expect((await ok('GET', `${DATACUST}/dkr?key_id=${id}`)).total, told).toBe(references)
  const there = deployment().datacust.referencesTo(named[0]?.id ?? '')
  expect(there, told).toHaveLength(references)
  return died
}

/** A key is deleted once, after a backup that is on record, and restored from it once. */
async function deletedAndRestored(action: 'delete' | 'restore', interruption: Interruption): Promise<boolean> {
  const name = `ended-${++runs}`
  const id = await made(name)
  if (action === 'restore') await ok('POST', `${KEYS}/${id}/delete`)
  const request = () => ({ path: `${KEYS}/${id}/${action}` })
  const { died, status: answered, told } = await interrupted(name, { request }, interruption)
  expect(answered, told).toBe(200)
  const key = await ok('POST', `${KEYS}/${id}/refresh`)
  const status = action === 'delete' ? 'DELETED' : 'AVAILABLE'
  expect(key, told).toMatchObject({ status, gone: action === 'delete', backup_blob: expect.any(String) })
  const groupId = groupNamed(deployment().datacust, 'finance').id
  const there = deployment()
    .datacust.keysIn(groupId)
    .filter((one) => one.name === name)
  expect(there, told).toHaveLength(action === 'delete' ? 0 : 1)
  return died
}

/** A reference as its record and the cloud have it in the end, and its key: the first or the second one. */
interface ReferenceEnd {
  readonly request: (path: string, second: string, name: string) => ReturnType<Interruptible['request']>
  readonly renamed?: true
  readonly of: 'first' | 'second' | 'none'
}

const REFERENCE_ENDS: Readonly<Record<string, ReferenceEnd>> = {
  'another name of a reference': {
    request: (path, _second, name) => ({ method: 'PATCH', path, body: { name: `${name} renamed` } }),
    renamed: true,
    of: 'first',
  },
  'another key of a reference': {
    request: (path, second) => ({ method: 'PATCH', path, body: { key_id: second } }),
    of: 'second',
  },
  'another name and key of a reference': {
    request: (path, key_id, name) => ({ method: 'PATCH', path, body: { name: `${name} renamed`, key_id } }),
    renamed: true,
    of: 'second',
  },
  'the deletion of a reference': { request: (path) => ({ path: `${path}/delete` }), of: 'none' },
}

/** A reference is changed or deleted once, and no other one is made of it. */
async function referenceEnded({ request, renamed, of }: ReferenceEnd, interruption: Interruption): Promise<boolean> {
  const name = `referred ${++runs}`
  const keys = { first: await made(`first-${runs}`), second: await made(`second-${runs}`) }
  const { id } = await ok('POST', `${DATACUST}/dkr`, { name, key_id: keys.first })
  const path = `${DATACUST}/dkr/${id as string}`
  const asked = { request: () => request(path, keys.second, name) }
  const { died, status, told } = await interrupted(`reference-${runs}`, asked, interruption)
  expect(status, told).toBe(200)
  const isGone = of === 'none'
  const expected = { id, gone: isGone, name: renamed ? `${name} renamed` : name, key_id: keys[isGone ? 'first' : of] }
  expect(await ok('GET', path), told).toMatchObject(expected)
  if (!isGone) expect(await ok('POST', `${path}/refresh`), told).toMatchObject(expected)
  const there = async (key: string): Promise<readonly string[]> =>
    deployment().datacust.referencesTo((await ok('GET', `${KEYS}/${key}`)).datacust_param.id as string)
  expect(await there(keys.first), told).toEqual(of === 'first' ? [expected.name] : [])
  expect(await there(keys.second), told).toEqual(of === 'second' ? [expected.name] : [])
  expect((await ok('GET', `${DATACUST}/dkr?name=${encodeURIComponent(name)}*`)).total, told).toBe(1)
  return died
}

describe.each(Object.entries(OPERATIONS))('%s', (_name, operation) => {
  atEveryCall('leaves it done once in the end', (interruption) => once(operation, interruption))
})

describe.each(['delete', 'restore'] as const)('%s', (action) => {
  atEveryCall('leaves it done once in the end, with its backup', (interruption) =>
    deletedAndRestored(action, interruption),
  )
})

describe.each(Object.entries(REFERENCE_ENDS))('%s', (_name, end) => {
  atEveryCall('leaves it done once in the end', (interruption) => referenceEnded(end, interruption))
})
