import { beforeAll } from 'vitest'
import type { DeploymentOptions } from '../../../infra/local/deployment.ts'
import { SHOP, SHOP_SANDBOX, type CrmSimulator } from '../../../infra/simulators/crm/simulator.ts'
import type { Answered } from '../../support/service.ts'
import { useVault, type Holder, type Vault } from '../vault/vault.ts'

export { refused } from '../../support/refused.ts'

export { SHOP, SHOP_SANDBOX }
export const CRM = '/v1/keymgr/crm'
export const KEYS = `${CRM}/keys`
export const ORGANIZATIONS = `${CRM}/organizations`
export const CERTIFICATES = `${CRM}/certificates`
export const ENDPOINTS = `${CRM}/endpoints`
export const ISSUERS = `${CRM}/issuers`
export const KEY_JOBS = `${KEYS}/synchronization-jobs`
export const CERTIFICATE_JOBS = `${CERTIFICATES}/synchronization-jobs`
export const CONNECTIONS = '/v1/connectionmgmt/services/crm/connections'
export const PAIR = { username: 'platform', password: 'pass:word with ümlaut' }

/** A deployment, the simulated platform, and the organization that every file starts with. */
export interface CrmTests extends Vault {
  readonly cloud: CrmSimulator
  /** record of the shop's organization */
  readonly organization: any
  /** record of a certificate that can wrap keys */
  readonly certificate: any
  /** A synchronization of keys or certificates of the organization, once it is over. */
  readonly synchronized: (jobs: string) => Promise<any>
}

/** The body of a connection with one of the simulator's log-ins, by default the first. */
export const connectionBody = (cloud: CrmSimulator, name: string, at = 0): any => {
  const { username, password, clientId, clientSecret, isSandbox } = cloud.credentials[at] ?? cloud.credentials[0]
  const cloud_name = isSandbox ? 'sandbox' : 'production'
  return { name, cloud_name, username, password, client_id: clientId, client_secret: clientSecret }
}

/** The ended job, after its flow. */
export async function endOf(who: Holder, jobs: string, id: string): Promise<any> {
  await who.service.deployment.flows.idle()
  return who.ok('GET', `${jobs}/${id}`)
}

/** For the tests of one file. Everything happens over HTTP; no record is written directly. */
export function useCrm(options?: Partial<DeploymentOptions>): () => CrmTests {
  const vault = useVault(options)
  let tests: CrmTests | undefined
  beforeAll(async () => {
    const { admin, service } = vault()
    const { crm: cloud } = service.deployment
    cloud.setIntervals('off')
    // An organization needs one before its first cache-only key.
    if (cloud.secrets(SHOP).length === 0) cloud.seed(SHOP, 1, () => ({ status: 'ACTIVE' }))
    await admin.ok('POST', CONNECTIONS, connectionBody(cloud, 'main'))
    const organization = await admin.ok('POST', `${CRM}/add-organizations`, { connection: 'main' })
    const synchronized = async (jobs: string): Promise<any> => {
      const { id } = await admin.ok('POST', jobs, { organizations: [organization.id] })
      return endOf(admin, jobs, id as string)
    }
    await synchronized(CERTIFICATE_JOBS)
    const { resources } = await admin.ok('GET', `${CERTIFICATES}?name=keymgr_wrapping`)
    tests = { ...vault(), cloud, organization, certificate: resources[0], synchronized }
  })
  return () => {
    if (tests === undefined) throw new Error('The cloud is there once the tests begin')
    return tests
  }
}

/** API calls of a user of tenant secrets. */
export const secretsOf = (who: Holder, organization_id: string) => ({
  list: (query = ''): Promise<any> => who.ok('GET', `${KEYS}${query}`),
  get: (id: string): Promise<any> => who.ok('GET', `${KEYS}/${id}`),
  create: (type: string, more: object = {}): Promise<any> => who.ok('POST', KEYS, { organization_id, type, ...more }),
  tryCreate: (type: string, more: object = {}): Promise<Answered> =>
    who.call('POST', KEYS, { organization_id, type, ...more }),
  upload: (body: object): Promise<any> => who.ok('POST', `${KEYS}/upload`, { organization_id, ...body }),
  tryUpload: (body: object): Promise<Answered> => who.call('POST', `${KEYS}/upload`, { organization_id, ...body }),
  register: (body: object): Promise<any> =>
    who.ok('POST', `${CRM}/upload-cache-only-key`, { organization_id, ...body }),
  tryRegister: (body: object): Promise<Answered> =>
    who.call('POST', `${CRM}/upload-cache-only-key`, { organization_id, ...body }),
  update: (id: string, body: object): Promise<any> => who.ok('PATCH', `${KEYS}/${id}`, body),
  act: (id: string, action: string): Promise<any> => who.ok('POST', `${KEYS}/${id}/${action}`),
  tryAct: (id: string, action: string): Promise<Answered> => who.call('POST', `${KEYS}/${id}/${action}`),
})

/** A local key whose material may leave. */
export const localKey = (who: Holder, name: string, more: object = {}): Promise<any> =>
  who.create({
    name,
    algorithm: 'aes',
    size: 256,
    usageMask: 12 | 64,
    unexportable: false,
    undeletable: false,
    ...more,
  })

/** A key endpoint with a password, and the named credential that leads to it. @returns both ids */
export async function endpointOf(
  { admin, organization, cloud, service }: CrmTests,
  name: string,
  more: object = { password_authentication: PAIR },
): Promise<{ endpoint: any; credential: string }> {
  const body = { name, url_hostname: 'keys.example.test', organization_id: organization.id, ...more }
  const endpoint = await admin.ok('POST', ENDPOINTS, body)
  const credential = cloud.setCredential(SHOP, {
    developerName: name,
    endpoint: `${service.deployment.baseUrl}/v1/keymgr/crm/endpoints/${endpoint.id}/keys/`,
    login: { kind: 'password', ...PAIR },
  })
  return { endpoint, credential }
}
