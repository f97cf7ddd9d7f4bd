/** The three partitions, as spelled in the API. */
export type CloudName = 'cloud-a' | 'cloud-a-gov' | 'cloud-a-cn'

type OptStatus = 'ENABLED' | 'ENABLED_BY_DEFAULT' | 'DISABLED' | 'ENABLING' | 'DISABLING'

export interface Partition {
  readonly cloud_name: CloudName
  /** Second part of every ARN. */
  readonly arnName: 'aws' | 'aws-us-gov' | 'aws-cn'
  /** Signing region of the account and iam services, which have one each. */
  readonly accountRegion: string
  readonly iamRegion: string
  /** Bytes of a symmetric key: AES-256, or SM4 in the third partition. */
  readonly symmetricBytes: 16 | 32
  readonly regions: readonly { readonly name: string; readonly status: OptStatus }[]
}

const regions = (status: OptStatus, names: string) => names.split(' ').map((name) => ({ name, status }))

const byName = (a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : 1)

/** Real region names. The status of the optional regions is invented, so that each status occurs. */
export const PARTITIONS: readonly Partition[] = [
  {
    cloud_name: 'cloud-a',
    arnName: 'aws',
    accountRegion: 'us-east-1',
    iamRegion: 'us-east-1',
    symmetricBytes: 32,
    regions: [
      ...regions(
        'ENABLED_BY_DEFAULT',
        'ap-northeast-1 ap-northeast-2 ap-northeast-3 ap-south-1 ap-southeast-1 ap-southeast-2 ca-central-1 ' +
          'eu-central-1 eu-north-1 eu-west-1 eu-west-2 eu-west-3 sa-east-1 us-east-1 us-east-2 us-west-1 us-west-2',
      ),
      ...regions('ENABLED', 'eu-central-2 eu-south-1'),
      ...regions('ENABLING', 'il-central-1'),
      ...regions('DISABLING', 'me-south-1'),
      ...regions(
        'DISABLED',
        'af-south-1 ap-east-1 ap-east-2 ap-south-2 ap-southeast-3 ap-southeast-4 ap-southeast-5 ap-southeast-7 ' +
          'ca-west-1 eu-south-2 me-central-1 mx-central-1',
      ),
    ].sort(byName),
  },
  {
    cloud_name: 'cloud-a-gov',
    arnName: 'aws-us-gov',
    accountRegion: 'us-gov-west-1',
    iamRegion: 'us-gov-west-1',
    symmetricBytes: 32,
    regions: regions('ENABLED_BY_DEFAULT', 'us-gov-east-1 us-gov-west-1'),
  },
  {
    cloud_name: 'cloud-a-cn',
    arnName: 'aws-cn',
    accountRegion: 'cn-northwest-1',
    iamRegion: 'cn-north-1',
    symmetricBytes: 16,
    regions: regions('ENABLED_BY_DEFAULT', 'cn-north-1 cn-northwest-1'),
  },
]

const BY_CLOUD = new Map(PARTITIONS.map((partition) => [partition.cloud_name, partition]))
const BY_REGION = new Map(PARTITIONS.flatMap((partition) => partition.regions.map(({ name }) => [name, partition])))

export function partitionOf(cloudName: CloudName): Partition {
  const partition = BY_CLOUD.get(cloudName)
  if (partition === undefined) throw new Error(`There is no partition ${cloudName}.`)
  return partition
}

/** @throws Error for a region of no partition */
export function partitionOfRegion(region: string): Partition {
  const partition = BY_REGION.get(region)
  if (partition === undefined) throw new Error(`There is no region ${region}.`)
  return partition
}

const WORKING = new Set<OptStatus>(['ENABLED', 'ENABLED_BY_DEFAULT', 'DISABLING'])

/** Whether a service answers in the region. A region that is being disabled still answers. */
export const worksIn = (partition: Partition, region: string): boolean =>
  partition.regions.some(({ name, status }) => name === region && WORKING.has(status))

/** @param resource for example `key/<id>` */
export const arnOf = (service: string, region: string, account: string, resource: string): string =>
  `arn:${partitionOfRegion(region).arnName}:${service}:${region}:${account}:${resource}`
