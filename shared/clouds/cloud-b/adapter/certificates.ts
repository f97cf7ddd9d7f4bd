import * as z from 'zod'
import { Refusal } from '../../../base/errors.ts'
import { defined } from '../../../base/fields.ts'
import { extended, object } from '../../../base/lazy-fields.ts'
import { CloudBCertificateParam, RECORD_TAG } from '../param.ts'
import { changingVerbs, type ChangingCalls } from './changing.ts'
import { call } from './client.ts'
import type { Version } from './items.ts'
import { readingVerbs } from './reading.ts'
import { listsOf, vaultAddress, vaultScope } from './lists.ts'
import { made } from './creation.ts'
import { refIn } from './names.ts'
import type { CloudBCertificates, CloudBCertificateSpec, CloudBChange, CloudBPlace } from './types.ts'
import { ifThere, until } from './errors.ts'
import { Attributes, deletionOf, tagsRead } from './wire.ts'

/**
 * Ours: called without the SDK, which renames the members of a policy, omits the policy and the attributes of an
 * import, and makes three calls for each creation. The interface and the cloud use the same member names.
 */
const Bundle = object(() => ({
  id: z.string(),
  kid: z.string().optional(),
  sid: z.string().optional(),
  x5t: z.string().optional(),
  cer: z.string().optional(),
  attributes: Attributes.prefault({}),
  tags: z.record(z.string(), z.string()).nullish(),
  policy: z.record(z.string(), z.unknown()).optional(),
}))
type Bundle = z.infer<typeof Bundle>

const Deleted = extended(Bundle, () => ({
  recoveryId: z.string().optional(),
  deletedDate: z.int().optional(),
  scheduledPurgeDate: z.int().optional(),
}))
const Backup = object(() => ({ value: z.string() }))
const Anything = z.object({})
const Operation = object(() => ({ error: z.object({ code: z.string(), message: z.string().default('') }).nullish() }))

/** The interface's description of a version: fields in the order of its schema. */
function versionRead({ id, kid, sid, x5t, cer, attributes, tags, policy }: Bundle): Version<CloudBCertificateParam> {
  const param = CloudBCertificateParam.parse(
    defined({
      ...{ id, kid, sid },
      x5t: x5t === undefined ? undefined : Buffer.from(x5t, 'base64url').toString('hex'),
      cer: cer === '' ? undefined : cer,
      ...{ attributes, tags: tagsRead(tags ?? {}), policy },
    }),
  )
  return { ref: refIn(id), param }
}

/** One request to the vault's certificates. */
const ask = <Reply extends z.ZodType>(
  place: CloudBPlace,
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
  path: string,
  reply: Reply,
  body?: object,
  manner: Parameters<typeof call>[2] = {},
): Promise<z.infer<Reply>> =>
  call(place, { method, url: vaultAddress(place, path), scope: vaultScope(place), reply, body }, manner)

const live = (name: string, ...rest: readonly string[]): string => ['/certificates', name, ...rest].join('/')
const deleted = (name: string, ...rest: readonly string[]): string => ['/deletedcertificates', name, ...rest].join('/')

const MAKES_NEW = { makesNew: true }

const calls: ChangingCalls<CloudBCertificateParam, CloudBChange> = {
  ...listsOf('certificates'),
  tellsLatest: true,
  get: async (place, name, version = '') => versionRead(await ask(place, 'GET', live(name, version), Bundle)),
  getDeleted: async (place, name) => {
    const bundle = await ask(place, 'GET', deleted(name), Deleted)
    return { ...versionRead(bundle), deletion: deletionOf(bundle) }
  },
  change: async (place, { name, version }, { attributes, tags }) =>
    versionRead(await ask(place, 'PATCH', live(name, version), Bundle, defined({ attributes, tags }))),
  startDeletion: async (place, name) => (await ask(place, 'DELETE', live(name), Deleted)).recoveryId !== undefined,
  startRecovery: async (place, name) => {
    await ask(place, 'POST', deleted(name, 'recover'), Anything)
  },
  purge: async (place, name) => {
    await ask(place, 'DELETE', deleted(name), Anything)
  },
  backup: async (place, name) => {
    const { value } = await ask(place, 'POST', live(name, 'backup'), Backup, {})
    return Buffer.from(value, 'base64url')
  },
  restore: async (place, backup) => {
    const body = { value: backup.toString('base64url') }
    const manner = { makesNew: true, conflictIsFinal: true }
    const { id } = await ask(place, 'POST', live('restore'), Bundle, body, manner)
    return refIn(id).split('/')[0] ?? ''
  },
}

const sentOf = ({ attributes, tags, mark }: CloudBCertificateSpec) =>
  defined({ attributes, tags: { ...tags, [RECORD_TAG]: mark } })

const importPfx = async (place: CloudBPlace, spec: CloudBCertificateSpec): Promise<Version<CloudBCertificateParam>> => {
  const body = { ...sentOf(spec), ...defined({ value: spec.pfx, pwd: spec.password, policy: spec.policy }) }
  return versionRead(await ask(place, 'POST', live(spec.name, 'import'), Bundle, body, MAKES_NEW))
}

/** @throws Refusal CLOUD_INVALID when the issuer refused */
async function assertGoingOn(place: CloudBPlace, name: string): Promise<void> {
  const error = (await ifThere(ask(place, 'GET', live(name, 'pending'), Operation)))?.error
  if (error) throw new Refusal('CLOUD_INVALID', `Cloud-b refused: ${error.code}: ${error.message.slice(0, 300)}`)
}

/** The cloud answers with the pending operation. The version exists at once, without `cer` until it is issued. */
async function issue(place: CloudBPlace, spec: CloudBCertificateSpec): Promise<Version<CloudBCertificateParam>> {
  const { name, mark, policy } = spec
  await ask(place, 'POST', live(name, 'create'), Anything, { ...sentOf(spec), policy }, MAKES_NEW)
  return until(place.budget, async () => {
    const latest = await ifThere(calls.get(place, name))
    if (latest?.param.tags[RECORD_TAG] === mark) return latest
    await assertGoingOn(place, name)
    return undefined
  })
}

const create: CloudBCertificates['create'] = async (place, spec, journal) => {
  if (spec.pfx === undefined && spec.policy === undefined)
    throw new Refusal('RULE_BROKEN', 'A certificate is issued by a policy, or imported from a PFX.')
  return made(calls, place, spec, journal, () => (spec.pfx === undefined ? issue(place, spec) : importPfx(place, spec)))
}

export const certificates: CloudBCertificates = { ...readingVerbs(calls), ...changingVerbs(calls), create }
