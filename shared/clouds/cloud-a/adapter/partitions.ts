import type { CloudAName } from '../keys/model.ts'

/** A host and the region that requests to it are signed for. */
interface Seat {
  readonly host: string
  readonly region: string
}

interface Partition {
  /** second part of every ARN */
  readonly name: string
  /** prefix of its region names */
  readonly regions: RegExp
  /** DNS suffix */
  readonly domain: string
  /** services with a single address for all regions; for STS, its older form */
  readonly seats: { readonly sts: Seat; readonly account: Seat; readonly iam: Seat }
}

/**
 * The editions of the cloud: accounts, names and regions of one are unknown in the others.
 * @see the endpoint rules of the official SDK, which contain these hosts and signing regions
 */
export const PARTITIONS: Readonly<Record<CloudAName, Partition>> = {
  'cloud-a': {
    name: 'aws',
    regions: /^(?!us-gov-|us-iso|cn-)/,
    domain: 'amazonaws.com',
    seats: {
      sts: { host: 'sts.amazonaws.com', region: 'us-east-1' },
      account: { host: 'account.us-east-1.amazonaws.com', region: 'us-east-1' },
      iam: { host: 'iam.amazonaws.com', region: 'us-east-1' },
    },
  },
  'cloud-a-gov': {
    name: 'aws-us-gov',
    regions: /^us-gov-/,
    domain: 'amazonaws.com',
    seats: {
      sts: { host: 'sts.us-gov-west-1.amazonaws.com', region: 'us-gov-west-1' },
      account: { host: 'account.us-gov-west-1.amazonaws.com', region: 'us-gov-west-1' },
      iam: { host: 'iam.us-gov.amazonaws.com', region: 'us-gov-west-1' },
    },
  },
  'cloud-a-cn': {
    name: 'aws-cn',
    regions: /^cn-/,
    domain: 'amazonaws.com.cn',
    seats: {
      sts: { host: 'sts.cn-north-1.amazonaws.com.cn', region: 'cn-north-1' },
      account: { host: 'account.cn-northwest-1.amazonaws.com.cn', region: 'cn-northwest-1' },
      iam: { host: 'iam.cn-north-1.amazonaws.com.cn', region: 'cn-north-1' },
    },
  },
}
