import { Refusal } from '../../../base/errors.ts'
import { ifThere } from '../../../cloud/adapter/failures.ts'
import { ask, askVault, Nothing } from './client.ts'
import { getKey, keyPath, settledKey } from './reading.ts'
import type { CloudD, CloudDPlace } from './types.ts'

/** Ours: one backup of each key, which the next one replaces. */
const objectName = (ref: string): string => `keymgr-${ref}`

/** @throws Refusal STATE_CONFLICT for a vault without a bucket */
function bucketOf({ vault: { bucket_name, bucket_namespace } }: CloudDPlace) {
  if (bucket_name !== undefined && bucket_namespace !== undefined) return { bucket_name, bucket_namespace }
  throw new Refusal('STATE_CONFLICT', 'The vault has no bucket with backups: set bucket_name and bucket_namespace.')
}

function locationOf(place: CloudDPlace, ref: string): object {
  const { bucket_name: bucketName, bucket_namespace: namespace } = bucketOf(place)
  return { backupLocation: { destination: 'BUCKET', namespace, bucketName, objectName: objectName(ref) } }
}

export const backup: CloudD['backup'] = async (place, ref) => {
  const body = locationOf(place, ref)
  await settledKey(place, ref)
  await askVault(place, { method: 'POST', path: `${keyPath(ref)}/actions/backup`, body, reply: Nothing })
}

export const restore: CloudD['restore'] = async (place, ref) => {
  const body = locationOf(place, ref)
  const key = await ifThere(getKey(place, ref))
  if (key !== undefined && key.lifecycleState !== 'DELETED') return
  const path = '/20180608/keys/actions/restoreFromObjectStore'
  await askVault(place, { method: 'POST', path, body, reply: Nothing })
}

export const deleteBackup: CloudD['deleteBackup'] = async (place, ref) => {
  const { bucket_name, bucket_namespace } = bucketOf(place)
  const parts = { n: bucket_namespace, b: bucket_name, o: objectName(ref) }
  const path = Object.entries(parts).map(([name, value]) => `/${name}/${encodeURIComponent(value)}`)
  const call = { method: 'DELETE', path: path.join(''), reply: Nothing } as const
  await ifThere(ask(place, 'objectStorage', place.vault.region, call))
}
