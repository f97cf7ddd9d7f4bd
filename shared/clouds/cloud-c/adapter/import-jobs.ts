import { createPublicKey } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { Refusal } from '../../../base/errors.ts'
import { ifThere } from '../../../cloud/adapter/failures.ts'
import { ask } from './client.ts'
import { codeOf, until } from './errors.ts'
import { ringName } from './names.ts'
import type { CloudCPlace } from './types.ts'

import { ImportJob } from './wire.ts'

/** Accepts material of any kind and length; corresponds to `WRAPPINGS['RSA/RSAAESKEYWRAPPADDING']`. */
const METHOD = 'RSA_OAEP_4096_SHA256_AES_256'

/**
 * Jobs cannot be deleted and expire after three days, so one job serves all imports of a day. Ours: the name consists
 * of method, level and day (UTC), so it need not be stored.
 */
const jobId = ({ now }: CloudCPlace, protectionLevel: string): string =>
  `keymgr-${METHOD}-${protectionLevel}-${now.toISOString().slice(0, 10)}`.toLowerCase().replaceAll('_', '-')

const getJob = (place: CloudCPlace, name: string): Promise<ImportJob> =>
  ask(place, { service: 'kms', method: 'GET', path: `/v1/${name}`, reply: ImportJob })

/**
 * The day's import job of the ring for a protection level, created if it does not exist.
 * @returns its full name; it may not be ready yet
 */
export async function importJob(place: CloudCPlace, protectionLevel: string): Promise<string> {
  const parent = ringName(place.ring)
  const importJobId = jobId(place, protectionLevel)
  const name = `${parent}/importJobs/${importJobId}`
  const there = await ifThere(getJob(place, name))
  if (there !== undefined) return name
  try {
    await ask(place, {
      service: 'kms',
      method: 'POST',
      path: `/v1/${parent}/importJobs`,
      query: { importJobId },
      body: { importMethod: METHOD, protectionLevel },
      reply: ImportJob,
    })
  } catch (error) {
    if (codeOf(error) !== 'ALREADY_EXISTS') throw error
  }
  return name
}

/**
 * The public key of a job, once it is ready.
 * @throws Refusal CLOUD_CONFLICT when the job has expired
 */
export async function wrappingKey(place: CloudCPlace, job: string): Promise<KeyObject> {
  const { state, publicKey } = await until(place.budget, async () => {
    const seen = await getJob(place, job)
    return seen.state === 'PENDING_GENERATION' ? undefined : seen
  })
  if (state !== 'ACTIVE' || publicKey === undefined)
    throw new Refusal('CLOUD_CONFLICT', 'Cloud-c ended the import job before it was used.')
  return createPublicKey(publicKey.pem)
}
