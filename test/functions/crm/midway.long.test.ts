import type { Deployment } from '../../../infra/local/deployment.ts'
import type { CrmCall } from '../../../infra/simulators/crm/simulator.ts'
import { midway } from '../midway/midway.ts'
import type { Recorded } from '../midway/row.ts'
import type { Holder } from '../vault/vault.ts'
import { CERTIFICATES, connectionBody, CONNECTIONS, CRM, ENDPOINTS, KEYS, localKey, PAIR, SHOP } from './crm.ts'

let organization_id = ''
let certificate_id = ''
let endpoint_id = ''
let named_credential_id = ''

/** Log-ins, and calls of the cloud itself, are no steps of a request. */
const isStep = ({ operation }: CrmCall): boolean => operation !== 'Login' && operation !== 'Callout'

/** Leaves room at the cloud, which has a limit of archived secrets. */
function makeRoom({ service }: Holder, type: string): void {
  const { crm: cloud } = service.deployment
  const archived = cloud.secrets(SHOP).filter((one) => one.type === type && one.status === 'ARCHIVED')
  if (archived.length > 30) for (const { id } of archived) cloud.alter(id, { status: 'DESTROYED' })
}
const native = (name: string, type: string): object => ({ organization_id, type, name })
const made = async (who: Holder, name: string, type: string): Promise<string> => {
  makeRoom(who, type)
  return (await who.ok('POST', KEYS, native(name, type))).id
}
/** A secret that a later one archived. */
const archived = async (who: Holder, name: string): Promise<string> => {
  const id = await made(who, name, 'DeterministicData')
  await made(who, `later than ${name}`, 'DeterministicData')
  return id
}
const registration = (name: string) => ({
  path: `${CRM}/upload-cache-only-key`,
  body: {
    ...{ ...native(name, 'Data'), certificate_id, endpoint_id, named_credential_id },
    source_key_identifier: 'served',
  },
})
async function registered(who: Holder, name: string): Promise<string> {
  makeRoom(who, 'Data')
  const { path, body } = registration(name)
  return (await who.ok('POST', path, body)).id
}
/** The description of a secret without the mark of the service. */
const nameIn = (description: string | null | undefined): string => (description ?? '').replace(/ ?\[keymgr .*\]$/, '')
const secretsAt = ({ crm }: Deployment) => crm.secrets(SHOP)

midway({
  cloud: 'crm',
  inject: ({ crm }, fault) => crm.inject({ ...fault, when: isStep }),
  calls: ({ crm }) => crm.calls().filter(isStep).length,
  setUp: async (who) => {
    const { crm: cloud, baseUrl } = who.service.deployment
    cloud.setIntervals('off')
    cloud.seed(SHOP, 1, () => ({ status: 'ACTIVE' }))
    await who.ok('POST', CONNECTIONS, connectionBody(cloud, 'main'))
    organization_id = (await who.ok('POST', `${CRM}/add-organizations`, { connection: 'main' })).id
    certificate_id = (await who.ok('POST', CERTIFICATES, { name: 'wrapping', organization_id })).id
    await localKey(who, 'served')
    const endpoint = { name: 'main', url_hostname: 'keys.example.test', password_authentication: PAIR }
    endpoint_id = (await who.ok('POST', ENDPOINTS, { ...endpoint, organization_id })).id
    named_credential_id = cloud.setCredential(SHOP, {
      developerName: 'main',
      endpoint: `${baseUrl}/v1/keymgr/crm/endpoints/${endpoint_id}/keys/`,
      login: { kind: 'password', ...PAIR },
    })
  },
  make: (who, name) => made(who, name, 'SearchIndex'),
  there: (deployment) =>
    secretsAt(deployment).map(({ id, status, description, source }) => ({
      ...{ ref: id, name: nameIn(description), live: status === 'ACTIVE' },
      facts: { status, source },
    })),
  recorded: async (who) => {
    const { resources } = await who.ok('GET', `${KEYS}?limit=-1`)
    return resources.map(({ id, name, unread, crm_param: { crm_id, status, source } }: any): Recorded => ({
      ...{ id, unread: unread !== undefined, ref: crm_id, name, live: status === 'ACTIVE' },
      facts: { status, source },
    }))
  },
  refresh: (id) => ({ method: 'PATCH', path: `${KEYS}/${id}`, body: {} }),
  originOf: async (who, id) => (await who.ok('GET', `${KEYS}/${id}`)).key_material_origin,
  others: {
    remove: ({ crm }, ref) => crm.alter(ref, { status: 'DESTROYED' }),
  },
  verbs: {
    create: {
      request: (name) => ({ path: KEYS, body: native(name, 'EventBus') }),
      done: { status: 'ACTIVE', source: 'HSM' },
    },
    upload: {
      prepare: async (who, name) => {
        makeRoom(who, 'Analytics')
        return (await localKey(who, name)).id
      },
      request: (name) => ({
        path: `${KEYS}/upload`,
        body: { ...native(name, 'Analytics'), certificate_id, source_key_identifier: name },
      }),
      done: { status: 'ACTIVE', source: 'UPLOADED' },
      origin: 'keymgr',
    },
    'register a cache-only key': {
      request: registration,
      done: { status: 'ACTIVE', source: 'REMOTE' },
      origin: 'keymgr',
    },
    destroy: {
      prepare: archived,
      request: (_name, id) => ({ path: `${KEYS}/${id}/destroy` }),
      done: { status: 'DESTROYED', source: 'HSM' },
    },
    import: {
      prepare: async (who, name) => {
        const id = await archived(who, name)
        await who.ok('POST', `${KEYS}/${id}/destroy`)
        return id
      },
      request: (_name, id) => ({ path: `${KEYS}/${id}/import` }),
      done: { status: 'ARCHIVED', source: 'HSM' },
    },
    'destroy a cache-only key': {
      prepare: registered,
      request: (_name, id) => ({ path: `${KEYS}/${id}/destroy` }),
      done: { status: 'DESTROYED', source: 'REMOTE' },
      refusalsOnly: true,
    },
    activate: {
      prepare: async (who, name) => {
        const id = await registered(who, name)
        await who.ok('POST', `${KEYS}/${id}/destroy`)
        return id
      },
      request: (_name, id) => ({ path: `${KEYS}/${id}/activate` }),
      done: { status: 'ACTIVE', source: 'REMOTE' },
      refusalsOnly: true,
    },
  },
})
