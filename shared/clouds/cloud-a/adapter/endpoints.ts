import { Refusal } from '../../../base/errors.ts'
import type { CloudAName } from '../keys/model.ts'
import { namedAddress } from '../../../cloud/named-address.ts'
import { PARTITIONS } from './partitions.ts'

/** Services of the cloud, by the first part of their host names. */
export type CloudAService = 'kms' | 'sts' | 'account' | 'iam' | 'logs' | 'cloudhsmv2' | 'rolesanywhere'

/** The address of requests, and the region that they are signed for. */
export interface Address {
  readonly endpoint: string
  readonly region: string
}

/** Only region names pass, because the text becomes part of a host name. */
const REGION = /^[a-z]{2}(-[a-z]+){1,3}-\d{1,2}$/

/**
 * The address of a service. It is always explicit: the variables `AWS_ENDPOINT_URL_…` are for the deployment's own
 * services and must not redirect calls to a customer's cloud.
 * @param region of services that exist in every region; without it, STS is the partition's older, single one
 * @throws Refusal RULE_BROKEN for a text that is not a region of the partition; Error, a fault, for an address that
 * `CLOUD_A_ENDPOINT` or `CLOUD_A_<SERVICE>_ENDPOINT` must not contain
 */
export function addressOf(service: 'sts' | 'account' | 'iam', name: CloudAName, region?: string): Address
export function addressOf(
  service: 'kms' | 'logs' | 'cloudhsmv2' | 'rolesanywhere',
  name: CloudAName,
  region: string,
): Address
export function addressOf(service: CloudAService, name: CloudAName, region?: string): Address {
  const { regions, seats, domain } = PARTITIONS[name]
  if (region !== undefined && !(REGION.test(region) && regions.test(region)))
    throw new Refusal('RULE_BROKEN', `${region} is not a region of ${name}.`)
  const own =
    region === undefined
      ? seats[service as keyof typeof seats] // according to the overloads, only these services have no region
      : { host: `${service}.${region}.${domain}`, region }
  return { endpoint: namedAddress('CLOUD_A', service.toUpperCase()) ?? `https://${own.host}`, region: own.region }
}
