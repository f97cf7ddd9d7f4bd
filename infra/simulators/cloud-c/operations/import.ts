import { createHash } from 'node:crypto'
import { acceptMaterial, ALGORITHMS, algorithmRow } from '../algorithms.ts'
import { bytesAt, onlyKnown, textAt } from '../body.ts'
import type { Call, Route } from '../call.ts'
import { describeJob, describeVersion, mayComeAgain } from '../describe.ts'
import { IMPORT_METHODS, PROTECTION_LEVELS, wordOf } from '../enums.ts'
import { exists, invalid, precondition } from '../errors.ts'
import { jobNamed, keyNamed, newId, ringNamed, versionNamed } from '../found.ts'
import { JOB_LIFE_MS, nextNumber, ringOf, type HeldJob, type HeldKey, type HeldVersion } from '../held.ts'
import { requireExpert } from '../key-rules.ts'
import { listed } from '../pages.ts'
import { change, read } from '../route.ts'
import { publicPem } from '../state.ts'
import { unwrap } from '../unwrap.ts'

const RING = '/v1/projects/*/locations/*/keyRings/*'

async function shown(call: Call, job: HeldJob, isLook: boolean): Promise<object> {
  const key = await call.state.wrappingKey(job, isLook)
  return describeJob(job, call.state.now(), key && publicPem(key))
}

function createJob(call: Call): object {
  ringNamed(call, call.name)
  const name = `${call.name}/importJobs/${newId(call, 'importJobId')}`
  const body = onlyKnown(call.body, ['importMethod', 'protectionLevel', 'name'])
  const method = wordOf(IMPORT_METHODS, body.importMethod, 'import_job.import_method')
  const protectionLevel = wordOf(PROTECTION_LEVELS, body.protectionLevel, 'import_job.protection_level')
  if (method === undefined || protectionLevel === undefined)
    throw invalid('import_job.import_method and import_job.protection_level must be set.')
  if (call.state.job(name) !== undefined) throw exists(`ImportJob ${name}`)
  const now = call.state.now()
  const job: HeldJob = { name, createdAt: now, method, protectionLevel, looksLeft: call.state.delays().job }
  call.state.saveJob(job)
  return describeJob(job, now, undefined)
}

/** @throws ApiError FAILED_PRECONDITION unless it is active */
async function openJob(call: Call, name: string) {
  const job = jobNamed(call, name)
  const isOver = job.createdAt + JOB_LIFE_MS <= call.state.now()
  const key = job.pkcs8 === undefined ? undefined : await call.state.wrappingKey(job, false)
  if (isOver || key === undefined)
    throw precondition(`${name} is ${isOver ? 'EXPIRED' : 'PENDING_GENERATION'}.`, 'IMPORT_JOB_NOT_ACTIVE', name)
  return { job, key }
}

/** The version that receives the material: a new one, or one without material. */
function versionToFill(
  call: Call,
  key: HeldKey,
  algorithm: string,
  again: string | undefined,
): { readonly version: HeldVersion; readonly isNew: boolean } {
  if (again === undefined) {
    const version: HeldVersion = {
      number: nextNumber(key),
      state: 'PENDING_IMPORT',
      algorithm,
      protectionLevel: key.template.protectionLevel,
      createdAt: call.state.now(),
      looksLeft: 0,
    }
    return { version, isNew: true }
  }
  if (!again.startsWith(`${key.name}/`)) throw invalid('crypto_key_version must belong to the parent CryptoKey.')
  const { version } = versionNamed(call, again)
  if (!mayComeAgain(version))
    throw precondition(`${again} is not eligible for reimport.`, `KEY_${version.state}`, again)
  if (version.algorithm !== algorithm) throw invalid('The algorithm must be the one of the CryptoKeyVersion.')
  return { version, isNew: false }
}

/** Checks imported material at once; the result becomes visible when the import is no longer pending. */
function judge(version: HeldVersion, unwrapped: Buffer | undefined): NonNullable<HeldVersion['verdict']> {
  if (unwrapped === undefined) return { failure: 'The wrapped key material could not be unwrapped.' }
  const accepted = acceptMaterial(algorithmRow(version.algorithm), unwrapped)
  if (typeof accepted === 'string') return { failure: accepted }
  const digest = createHash('sha256').update(accepted).digest('hex')
  if (version.digest !== undefined && version.digest !== digest)
    return { failure: 'The key material does not match the previously imported key material.' }
  version.digest = digest
  return { bytes: accepted }
}

async function importVersion(call: Call): Promise<object> {
  const key = keyNamed(call, call.name)
  const members = ['algorithm', 'importJob', 'wrappedKey', 'rsaAesWrappedKey', 'cryptoKeyVersion', 'parent']
  const body = onlyKnown(call.body, members)
  const algorithm = wordOf(ALGORITHMS, body.algorithm, 'algorithm')
  const jobName = textAt(body, 'importJob') ?? ''
  if (ringOf(jobName) !== ringOf(key.name)) throw invalid('import_job must belong to the key ring of the parent.')
  call.require('cloudkms.importJobs.useToImport', jobName)
  if (algorithm === undefined || algorithmRow(algorithm).purpose !== key.purpose)
    throw invalid(`The algorithm cannot be used with purpose ${key.purpose}.`)
  requireExpert(call, algorithm, key.name)
  const wrapped = bytesAt(body, body.wrappedKey === undefined ? 'rsaAesWrappedKey' : 'wrappedKey').bytes
  if (wrapped.length === 0) throw invalid('wrapped_key must be set.')
  const { job, key: wrappingKey } = await openJob(call, jobName)
  if (job.protectionLevel !== key.template.protectionLevel)
    throw invalid('The protection levels of the ImportJob and the CryptoKey must be the same.')
  if (algorithmRow(algorithm).material.family === 'rsa' && !job.method.endsWith('_AES_256'))
    throw invalid(`${job.method} cannot be used for RSA keys.`)
  const { version, isNew } = versionToFill(call, key, algorithm, textAt(body, 'cryptoKeyVersion'))
  Object.assign(version, {
    state: 'PENDING_IMPORT',
    importJob: job.name,
    importedAt: call.state.now(),
    importFailure: undefined,
    verdict: judge(version, unwrap(wrappingKey, job.method, wrapped)),
    looksLeft: call.state.delays().import,
  } satisfies Partial<HeldVersion>)
  if (isNew) key.versions.push(version)
  call.state.saveKeys([key])
  return describeVersion(key, version)
}

function listJobs(call: Call): object {
  ringNamed(call, call.name)
  return listed(call, 'importJobs', call.state.names('job', call.name), (id) => {
    const job = call.state.job(`${call.name}/importJobs/${id}`)
    return job && describeJob(job, call.state.now(), undefined)
  })
}

const JOBS = `${RING}/importJobs`

export const importRoutes: readonly Route[] = [
  read('ListImportJobs', JOBS, 'importJobs.list', listJobs),
  change('CreateImportJob', JOBS, 'importJobs.create', createJob),
  read('GetImportJob', `${JOBS}/*`, 'importJobs.get', (call) => shown(call, jobNamed(call, call.name), true)),
  change(
    'ImportCryptoKeyVersion',
    `${RING}/cryptoKeys/*/cryptoKeyVersions:import`,
    'cryptoKeyVersions.create',
    importVersion,
  ),
]
