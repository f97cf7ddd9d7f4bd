import { describe, expect } from 'vitest'
import { useInterrupting, type Interruptible, type Interruption } from '../interrupted.ts'
import { CERTIFICATES, connectionBody, CONNECTIONS, CRM, ENDPOINTS, KEYS, PAIR, SHOP } from './crm.ts'

/**
 * The process dies at every one of its calls, one after the other: after each call to the cloud and each write of the
 * table has taken effect, before its answer arrives. Then the same request is repeated, or the sweeper runs. The
 * outcome must be one secret or certificate, as without the interruption.
 */
let organization_id = ''
let certificate_id = ''
let endpoint_id = ''
let named_credential_id = ''
const { deployment, ok, interrupted, atEveryCall } = useInterrupting({
  cloud: 'crm',
  prepare: async () => {
    const { crm: cloud, baseUrl } = deployment()
    cloud.setIntervals('off')
    cloud.seed(SHOP, 1, () => ({ status: 'ACTIVE' }))
    await ok('POST', CONNECTIONS, connectionBody(cloud, 'main'))
    organization_id = (await ok('POST', `${CRM}/add-organizations`, { connection: 'main' })).id
    certificate_id = (await ok('POST', CERTIFICATES, { name: 'wrapping', organization_id })).id
    await source('served')
    const endpoint = { name: 'main', url_hostname: 'keys.example.test', password_authentication: PAIR }
    endpoint_id = (await ok('POST', ENDPOINTS, { ...endpoint, organization_id })).id
    named_credential_id = cloud.setCredential(SHOP, {
      developerName: 'main',
      endpoint: `${baseUrl}/v1/keymgr/crm/endpoints/${endpoint_id}/keys/`,
      login: { kind: 'password', ...PAIR },
    })
  },
})

/** A local key whose material may leave: the cloud accepts the same material once. */
const source = (name: string): Promise<any> => ok('POST', '/v1/vault/keys2', { name, algorithm: 'aes', size: 256 })

/** Leaves room at the cloud, which has a limit of archived secrets. */
function makeRoom(type: string): void {
  const { crm: cloud } = deployment()
  const archived = cloud.secrets(SHOP).filter((one) => one.type === type && one.status === 'ARCHIVED')
  if (archived.length > 30) for (const { id } of archived) cloud.alter(id, { status: 'DESTROYED' })
}
const native = (name: string, type: string): object => ({ organization_id, type, name })
async function madeNative(name: string, type: string): Promise<string> {
  makeRoom(type)
  return (await ok('POST', KEYS, native(name, type))).id
}
/** A secret that a later one archived. */
async function archived(name: string): Promise<string> {
  const id = await madeNative(name, 'DeterministicData')
  await madeNative(`${name}-next`, 'DeterministicData')
  return id
}
const remoteBody = (name: string): object => ({
  ...{ organization_id, type: 'Data', name, certificate_id, endpoint_id, named_credential_id },
  ...{ source_key_identifier: 'served', crm_param: { RemoteKeyIdentifier: name } },
})
async function registered(name: string): Promise<string> {
  makeRoom('Data')
  return (await ok('POST', `${CRM}/upload-cache-only-key`, remoteBody(name))).id
}

/** A request about the secret `name` that is interrupted, and the expected result. */
interface Interrupted extends Interruptible {
  readonly status: string
  readonly source: string
  /** further fields of the record */
  readonly record?: object
  /** of a cache-only key: whether the cloud can fetch it */
  readonly isFetched?: boolean
}

const OPERATIONS: Readonly<Record<string, Interrupted>> = {
  create: {
    prepare: (name) => Promise.resolve(name).finally(() => makeRoom('EventBus')),
    request: (name) => ({ path: KEYS, body: native(name, 'EventBus') }),
    ...{ status: 'ACTIVE', source: 'HSM', record: { key_material_origin: 'native' } },
  },
  upload: {
    prepare: async (name) => {
      makeRoom('Analytics')
      return (await source(name)).name
    },
    request: (name) => ({
      path: `${KEYS}/upload`,
      body: { ...native(name, 'Analytics'), certificate_id, source_key_identifier: name },
    }),
    ...{ status: 'ACTIVE', source: 'UPLOADED', record: { key_material_origin: 'keymgr' } },
  },
  'a registration of a cache-only key': {
    prepare: (name) => Promise.resolve(name).finally(() => makeRoom('Data')),
    request: (name) => ({ path: `${CRM}/upload-cache-only-key`, body: remoteBody(name) }),
    ...{ status: 'ACTIVE', source: 'REMOTE', record: { is_served: true }, isFetched: true },
  },
  'a change': {
    prepare: (name) => madeNative(name, 'EventBus'),
    request: (name, id) => ({ method: 'PATCH', path: `${KEYS}/${id}`, body: { description: `${name} of the bus` } }),
    ...{ status: 'ACTIVE', source: 'HSM' },
  },
  'a destruction': {
    prepare: archived,
    request: (_name, id) => ({ path: `${KEYS}/${id}/destroy` }),
    ...{ status: 'DESTROYED', source: 'HSM', record: { backup: true } },
  },
  'an import': {
    prepare: async (name) => {
      const id = await archived(name)
      await ok('POST', `${KEYS}/${id}/destroy`)
      return id
    },
    request: (_name, id) => ({ path: `${KEYS}/${id}/import` }),
    ...{ status: 'ARCHIVED', source: 'HSM', record: { backup: true } },
  },
  'a destruction of a cache-only key': {
    prepare: registered,
    request: (_name, id) => ({ path: `${KEYS}/${id}/destroy` }),
    ...{ status: 'DESTROYED', source: 'REMOTE', record: { is_served: false, backup: false }, isFetched: false },
  },
  'an activation': {
    prepare: async (name) => {
      const id = await registered(name)
      await ok('POST', `${KEYS}/${id}/destroy`)
      return id
    },
    request: (_name, id) => ({ path: `${KEYS}/${id}/activate` }),
    ...{ status: 'ACTIVE', source: 'REMOTE', record: { is_served: true }, isFetched: true },
  },
}

let runs = 0

/** Interrupts the request once, continues it, and checks the result. @returns whether the process died at all */
async function once(operation: Interrupted, interruption: Interruption): Promise<boolean> {
  const { status, source: from, record = {}, isFetched } = operation
  const name = `run-${++runs}`
  const { died, told } = await interrupted(name, operation, interruption)
  const { crm: cloud } = deployment()
  const isOfRun = (text: string | null): boolean => text === name || text?.startsWith(`${name} `) === true
  const there = cloud.secrets(SHOP).filter((one) => isOfRun(one.description) || one.keyId === name)
  expect(there, told).toMatchObject([{ status, source: from }])
  const { resources } = await ok('GET', `${KEYS}?name=${name}`)
  const crm_param = { status, source: from, crm_id: there[0]?.id }
  expect(resources, told).toMatchObject([{ gone: false, ...record, crm_param }])
  if (isFetched !== undefined) expect((await cloud.flush(there[0]?.id ?? '')) === 'SUCCESS', told).toBe(isFetched)
  return died
}

describe.each(Object.entries(OPERATIONS))('%s', (_name, operation) => {
  atEveryCall('leaves it done once in the end', (interruption) => once(operation, interruption))
})

describe('a certificate', () => {
  atEveryCall('leaves it made once in the end', async (interruption) => {
    const name = `made${++runs}`
    const request = () => ({ path: CERTIFICATES, body: { name, organization_id } })
    const { died, told } = await interrupted(name, { request }, interruption)
    const there = deployment()
      .crm.certificates(SHOP)
      .filter(({ developerName }) => developerName === name)
    expect(there, told).toHaveLength(1)
    const { resources } = await ok('GET', `${CERTIFICATES}?name=${name}`)
    expect(resources, told).toMatchObject([{ crm_certificate_id: there[0]?.id, exportable: false }])
    return died
  })
})
