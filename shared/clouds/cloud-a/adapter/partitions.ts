import type { CloudAName } from '../keys/model.ts'

/** A host and the region that requests to it are signed for. */
interface Seat {
  readonly host: string
  readonly region: string
}

interface Partition {
  /** second part of every ARN */
  readonly name: string
  /** how the names of its regions begin */
  readonly regions: RegExp
  /** what the names of its hosts end with */
  readonly domain: string
  /** services that sit in one place for all regions; of STS, its older form */
  readonly seats: { readonly sts: Seat; readonly account: Seat; readonly iam: Seat }
}

/**
 * The editions of the cloud: accounts, names and regions of one mean nothing in another.
 * @see the endpoint rules of the official SDK, which give these hosts and signing regions
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
