import { Refusal } from '../../../base/errors.ts'
import { namedAddress } from '../../../cloud/named-address.ts'
import type { CloudBName } from '../param.ts'
import { Misdirected } from './errors.ts'
import type { CloudBPlace } from './types.ts'

/** Services with one host for all customers. */
type SingleHost = 'login' | 'management' | 'logs'

interface Edition extends Readonly<Record<SingleHost, string>> {
  /** domains of vaults and of managed HSM pools, each of which has its own host */
  readonly vaults: string
  readonly pools: string
}

/** Source: the cloud's documentation of its national clouds. */
const EDITIONS: Readonly<Record<CloudBName, Edition>> = {
  'cloud-b': {
    login: 'login.microsoftonline.com',
    management: 'management.azure.com',
    logs: 'api.loganalytics.io',
    vaults: 'vault.azure.net',
    pools: 'managedhsm.azure.net',
  },
  'cloud-b-gov': {
    login: 'login.microsoftonline.us',
    management: 'management.usgovcloudapi.net',
    logs: 'api.loganalytics.us',
    vaults: 'vault.usgovcloudapi.net',
    pools: 'managedhsm.usgovcloudapi.net',
  },
  'cloud-b-cn': {
    login: 'login.partner.microsoftonline.cn',
    management: 'management.chinacloudapi.cn',
    logs: 'api.loganalytics.azure.cn',
    vaults: 'vault.azure.cn',
    pools: 'managedhsm.azure.cn',
  },
}

/** Names of vaults and pools. */
const NAME = /^[a-z][a-z0-9-]{1,30}[a-z0-9]$/

/** Address of a service, without a trailing slash; also its name as a token's resource. */
export const addressOf = (edition: CloudBName, service: SingleHost): string => `https://${EDITIONS[edition][service]}`

/** The scope of a token for the service. */
export const scopeOf = (edition: CloudBName, service: 'management' | 'logs' | 'vaults' | 'pools'): string =>
  `https://${EDITIONS[edition][service]}/.default`

const isIn = (host: string, domain: string): boolean =>
  host.endsWith(`.${domain}`) && NAME.test(host.slice(0, -domain.length - 1))

/** Whether the place is a managed HSM pool. */
export const isPool = ({ connection, vault_url }: Pick<CloudBPlace, 'connection' | 'vault_url'>): boolean =>
  isIn(new URL(vault_url).host, EDITIONS[connection.cloud_name].pools)

/** @throws Refusal RULE_BROKEN for an address that is not that of a vault or pool in the connection's edition */
export function assertVaultUrl({ connection, vault_url }: Pick<CloudBPlace, 'connection' | 'vault_url'>): void {
  const { vaults, pools } = EDITIONS[connection.cloud_name]
  const url = URL.parse(vault_url)
  if (url?.origin === vault_url && url.protocol === 'https:' && (isIn(url.host, vaults) || isIn(url.host, pools)))
    return
  throw new Refusal(
    'RULE_BROKEN',
    `${vault_url.slice(0, 200)} is not the address of a vault of ${connection.cloud_name}.`,
  )
}

/** The service as spelled in `CLOUD_B_<SERVICE>_ENDPOINT`; `undefined` for a host that does not belong to the cloud. */
function serviceAt(host: string): 'LOGIN' | 'MANAGEMENT' | 'LOGS' | 'VAULT' | undefined {
  for (const { login, management, logs, vaults, pools } of Object.values(EDITIONS)) {
    if (host === login) return 'LOGIN'
    if (host === management) return 'MANAGEMENT'
    if (host === logs) return 'LOGS'
    if (isIn(host, vaults) || isIn(host, pools)) return 'VAULT'
  }
  return undefined
}

/**
 * The address of a request: its own host, or the address that the deployment configures instead.
 * @returns `undefined` for its own host
 * @throws Refusal RULE_BROKEN for a host that does not belong to the cloud: nothing is ever sent there; Misdirected, a
 * fault, for an address that `CLOUD_B_ENDPOINT` or `CLOUD_B_<SERVICE>_ENDPOINT` must not contain
 */
export function routeOf(url: URL): string | undefined {
  const service = url.protocol === 'https:' ? serviceAt(url.host) : undefined
  if (service === undefined) throw new Refusal('RULE_BROKEN', `${url.host} is not a host of the cloud.`)
  try {
    return namedAddress('CLOUD_B', service)?.replace(/\/+$/, '')
  } catch (error) {
    throw new Misdirected(error instanceof Error ? error.message : '', { cause: error })
  }
}
