import { Refusal } from '../../../base/errors.ts'
import type { CloudAName } from '../keys/model.ts'
import { namedAddress } from '../../../cloud/named-address.ts'
import { PARTITIONS } from './partitions.ts'

/** Services of the cloud, by the first part of their host names. */
export type CloudAService = 'kms' | 'sts' | 'account' | 'iam' | 'logs' | 'cloudhsmv2' | 'rolesanywhere'

/** Where requests go and which region they are signed for. */
export interface Address {
  readonly endpoint: string
  readonly region: string
}

/** Becomes a part of a host name, so nothing but the name of a region will do. */
const REGION = /^[a-z]{2}(-[a-z]+){1,3}-\d{1,2}$/

/**
 * Where a service is reached. The address is always spelled out: what `AWS_ENDPOINT_URL_…` says is for the deployment's
 * own services and must not capture a customer's cloud.
 * @param region of the services that are in every region; STS without one is the partition's older, single one
 * @throws Refusal RULE_BROKEN for what is no region of the partition; Error, a fault, for an address that
 *   `CLOUD_A_ENDPOINT` or `CLOUD_A_<SERVICE>_ENDPOINT` must not name
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
      ? seats[service as keyof typeof seats] // the overloads let no other service come without a region
      : { host: `${service}.${region}.${domain}`, region }
  return { endpoint: namedAddress('CLOUD_A', service.toUpperCase()) ?? `https://${own.host}`, region: own.region }
}
