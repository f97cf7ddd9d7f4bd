import { tokenBuckets } from '../../toolkit/token-buckets.ts'

/** Calls per second of one operation, for one account and region. */
export type Rates = Readonly<Record<string, number>>

/** Published request quotas of the service. Other operations share quotas that no test reaches. */
const REAL_RATES: Rates = {
  CancelKeyDeletion: 5,
  CreateAlias: 5,
  CreateGrant: 50,
  CreateKey: 5,
  DeleteAlias: 15,
  DeleteImportedKeyMaterial: 15,
  DescribeKey: 2000,
  DisableKey: 5,
  DisableKeyRotation: 5,
  EnableKey: 5,
  EnableKeyRotation: 15,
  GetKeyPolicy: 1000,
  GetKeyRotationStatus: 1000,
  GetParametersForImport: 0.25,
  GetPublicKey: 2000,
  ImportKeyMaterial: 15,
  ListAliases: 500,
  ListGrants: 100,
  ListKeyPolicies: 100,
  ListKeyRotations: 100,
  ListKeys: 500,
  ListResourceTags: 2000,
  ListRetirableGrants: 100,
  PutKeyPolicy: 15,
  ReplicateKey: 5,
  RetireGrant: 30,
  RevokeGrant: 30,
  RotateKeyOnDemand: 5,
  ScheduleKeyDeletion: 15,
  TagResource: 10,
  UntagResource: 5,
  UpdateAlias: 5,
  UpdateKeyDescription: 5,
  UpdatePrimaryRegion: 5,
}

export interface RateLimiter {
  readonly set: (rates: 'off' | 'real' | Rates) => void
  /** Counts one call against the second's quota. @returns whether it was within the quota */
  readonly allows: (operation: string, account: string, region: string) => boolean
}

/** Token buckets with the quota of one second, at least one call. @param now in milliseconds */
export function createRateLimiter(now: () => number): RateLimiter {
  let rates: Rates = {}
  const buckets = tokenBuckets(now)
  return {
    set: (wanted) => {
      rates = wanted === 'off' ? {} : wanted === 'real' ? REAL_RATES : wanted
      buckets.clear()
    },
    allows: (operation, account, region) => {
      const rate = rates[operation]
      return rate === undefined || buckets.take(`${operation} ${account} ${region}`, rate, Math.max(1, rate))
    },
  }
}
