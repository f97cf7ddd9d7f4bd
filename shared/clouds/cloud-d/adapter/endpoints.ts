import { ruleBroken } from '../../../base/errors.ts'
import { Unreadable } from '../../../cloud/adapter/failures.ts'
import { namedAddress } from '../../../cloud/named-address.ts'

/**
 * Services of the cloud: the first part of the real host name, and the variable part in `CLOUD_D_<SERVICE>_ENDPOINT`.
 */
const SERVICES = {
  kms: { host: (region: string) => `kms.${region}`, variable: 'KMS' },
  identity: { host: (region: string) => `identity.${region}.oci`, variable: 'IDENTITY' },
  audit: { host: (region: string) => `audit.${region}`, variable: 'AUDIT' },
  objectStorage: { host: (region: string) => `objectstorage.${region}`, variable: 'OBJECT_STORAGE' },
} as const
export type CloudDService = keyof typeof SERVICES

/** DNS suffix of each realm. The cloud's ids contain the realm. */
const DOMAINS: Readonly<Record<string, string>> = {
  oc1: 'oraclecloud.com',
  oc2: 'oraclegovcloud.com',
  oc3: 'oraclegovcloud.com',
  oc4: 'oraclegovcloud.uk',
  oc8: 'oraclecloud8.com',
  oc9: 'oraclecloud9.com',
  oc10: 'oraclecloud10.com',
  oc14: 'oraclecloud14.com',
  oc19: 'oraclecloud.eu',
  oc20: 'oraclecloud20.com',
}

const TENANCY = /^ocid1\.tenancy\.([a-z0-9]{1,10})\.\.[a-z0-9]{1,100}$/

/** @throws Refusal RULE_BROKEN for an id that is not a tenancy's, and for a realm with unknown hosts */
export function domainOf(tenancyId: string): string {
  const [, realm = ''] = TENANCY.exec(tenancyId) ?? []
  const domain = Object.hasOwn(DOMAINS, realm) ? DOMAINS[realm] : undefined
  if (domain !== undefined) return domain
  throw ruleBroken('tenancy_id', 'must be the id of a tenancy, ocid1.tenancy.<realm>..<id>, of a realm that is known')
}

const REGION = /^[a-z]{2,10}(-[a-z0-9]{1,20}){1,3}$/
/** @throws Refusal RULE_BROKEN: a region becomes part of a host's name */
export function assertRegion(region: string): void {
  if (!REGION.test(region)) throw ruleBroken('region', 'must be a region such as eu-frankfurt-1')
}

/**
 * The address of a service in a region, without a final slash. Ours: an address configured instead of the cloud's gets
 * service and region as parts of its path.
 * @throws Refusal RULE_BROKEN for an invalid region; Error, a fault, for an address that `CLOUD_D_ENDPOINT` or
 *   `CLOUD_D_<SERVICE>_ENDPOINT` must not contain
 */
export function addressOf(service: CloudDService, region: string, tenancyId: string): string {
  assertRegion(region)
  const { host, variable } = SERVICES[service]
  const named = namedAddress('CLOUD_D', variable)
  if (named !== undefined) return `${named.replace(/\/+$/, '')}/${service.toLowerCase()}/${region}`
  return `https://${host(region)}.${domainOf(tenancyId)}`
}

/**
 * A vault's own address, which the cloud chooses. It receives signed requests, so it must be on a host of the cloud.
 * @throws Unreadable for any other address
 */
export function vaultAddress(endpoint: string, tenancyId: string): string {
  const named = namedAddress('CLOUD_D', SERVICES.kms.variable)
  const url = URL.parse(endpoint)
  const isOfCloud =
    named === undefined
      ? url?.protocol === 'https:' && url.hostname.endsWith(`.${domainOf(tenancyId)}`) && url.port === ''
      : url?.host === new URL(named).host
  if (url === null || !isOfCloud || url.search !== '' || url.username !== '')
    throw new Unreadable('the address of the vault is none of the cloud')
  return endpoint.replace(/\/+$/, '')
}
