import { constants, publicEncrypt } from 'node:crypto'
import * as z from 'zod'
import type { Journal } from '../../../../../shared/base/journal.ts'
import {
  CloudFailure,
  cloudFailures,
  ifThere,
  Unreadable,
  type CloudReason,
} from '../../../../../shared/cloud/adapter/failures.ts'
import { MADE } from '../../../../../shared/cloud/contract.ts'
import { Param } from '../key-model.ts'
import type { Entry, Place, Read, Spec, ThrowAway } from './types.ts'

const REASONS: Readonly<Record<number, CloudReason>> = {
  401: 'CLOUD_DENIED',
  404: 'CLOUD_NOT_FOUND',
  409: 'CLOUD_CONFLICT',
}

const { refusalFrom } = cloudFailures({
  title: 'Throw-away',
  reasonOf: (failure) => {
    if (!(failure instanceof CloudFailure)) return undefined
    return REASONS[failure.statusCode] ?? (failure.statusCode >= 500 ? 'CLOUD_UNAVAILABLE' : 'CLOUD_INVALID')
  },
})

/** Makes one call; every failure is a refusal. */
async function ask<R>(entry: Entry, path: string, reply: z.ZodType<R>, body?: object): Promise<R> {
  try {
    const response = await fetch(`${process.env.KEYMGR_THROW_AWAY_ENDPOINT ?? ''}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${entry.connection.token}` },
      signal: entry.budget,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    if (!response.ok) throw new CloudFailure(`HTTP ${response.status}`, '', response.status)
    const parsed = reply.safeParse(await response.json())
    if (!parsed.success) throw new Unreadable('another answer than the documents promise', { cause: parsed.error })
    return parsed.data
  } catch (error) {
    throw refusalFrom(error, entry.budget)
  }
}

const readOf = (param: Param): Read => ({ ref: param.id, param })
const keysOf = ({ box }: Place): string => `/boxes/${encodeURIComponent(box)}/keys`
const Page = z.object({ keys: z.array(Param) })

const all = async (place: Place): Promise<readonly Param[]> => (await ask(place, keysOf(place), Page)).keys

/** Creates a key once: after an interruption, the key with the journal's mark is the created one. */
const made = (place: Place, body: object, journal: Journal): Promise<string> =>
  journal.step(
    MADE,
    async () => (await ask(place, keysOf(place), Param, { ...body, mark: journal.id })).id,
    async () => (await all(place)).find(({ mark }) => mark === journal.id)?.id,
  )

const describe = async (place: Place, ref: string): Promise<Read> =>
  readOf(await ask(place, `${keysOf(place)}/${encodeURIComponent(ref)}`, Param))

export const verbs: ThrowAway = {
  test: async (connection, budget) => {
    await ask({ connection, budget }, '/import-key', z.object({ pem: z.string() }))
  },
  hasBox: async (entry, box) =>
    (await ifThere(ask(entry, `/boxes/${encodeURIComponent(box)}/keys`, Page))) !== undefined,
  refs: async (place) => ({ refs: (await all(place)).map(({ id }) => id) }),
  read: (place, ref) => ifThere(describe(place, ref)),
  survey: (place) => Promise.resolve({ read: (ref) => ifThere(describe(place, ref)) }),
  create: async (place, { label }: Spec, journal) => describe(place, await made(place, { label }, journal)),
  upload: async (place, { label }, material, journal) => {
    const { pem } = await ask(place, '/import-key', z.object({ pem: z.string() }))
    const wrapped = material.bytes.use((bytes) =>
      publicEncrypt({ key: pem, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' }, bytes),
    )
    return describe(place, await made(place, { label, material: wrapped.toString('base64') }, journal))
  },
  change: async (place, ref, change) =>
    readOf(await ask(place, `${keysOf(place)}/${encodeURIComponent(ref)}`, Param, change)),
}
