import { namedAddress } from '../../../cloud/named-address.ts'

/** Services of the cloud: the first part of the host name, and the spelling in `CLOUD_C_<SERVICE>_ENDPOINT`. */
const SERVICES = {
  kms: { host: 'cloudkms', variable: 'KMS' },
  logging: { host: 'logging', variable: 'LOGGING' },
  resourceManager: { host: 'cloudresourcemanager', variable: 'RESOURCE_MANAGER' },
  iam: { host: 'iam', variable: 'IAM' },
} as const

export type CloudCService = keyof typeof SERVICES

const DOMAIN = 'googleapis.com'

/**
 * The address of a service, without a trailing slash.
 * @throws Error, a fault, for an address that `CLOUD_C_ENDPOINT` or `CLOUD_C_<SERVICE>_ENDPOINT` must not contain
 */
export function addressOf(service: CloudCService): string {
  const { host, variable } = SERVICES[service]
  return (namedAddress('CLOUD_C', variable) ?? `https://${host}.${DOMAIN}`).replace(/\/+$/, '')
}
