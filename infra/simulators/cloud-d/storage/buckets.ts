import type { SimulatedBucket } from '../directory/directory.ts'
import type { Call } from '../wire/call.ts'

export interface FoundBucket extends SimulatedBucket {
  readonly namespace: string
}

/** A bucket of the caller's tenancy in the region of the address, if the caller may see it. */
export function bucketNamed(call: Call, namespace: string, name: string): FoundBucket | undefined {
  const { tenancy } = call.caller
  const bucket = tenancy.buckets.find((each) => each.name === name && each.region === call.region)
  if (bucket === undefined || namespace !== tenancy.namespace || !call.may('read', bucket.compartmentId))
    return undefined
  return { ...bucket, namespace }
}

/** Name of an object, unique in all buckets. */
export const objectName = ({ namespace, region, name }: FoundBucket, object: string): string =>
  [namespace, region, name, object].join('/')
