import { timeRead } from '../../../cloud/adapter/dates.ts'
import { defined, namesOf } from '../../../base/fields.ts'
import {
  DescribeKeyCommand,
  GetKeyPolicyCommand,
  GetKeyRotationStatusCommand,
  GetPublicKeyCommand,
  ListAliasesCommand,
  ListKeyRotationsCommand,
  ListKeysCommand,
  ListResourceTagsCommand,
} from '@aws-sdk/client-kms'
import type { AliasListEntry, KeyMetadata, Tag } from '@aws-sdk/client-kms'
import { ifThere } from '../../../cloud/adapter/failures.ts'
import { Refusal } from '../../../base/errors.ts'
import type { RefPage, Survey } from '../../../cloud/contract.ts'
import { onKms } from './client.ts'
import { codeOf } from './errors.ts'
import { allPages, nextOf, type Page } from './paging.ts'
import type { CloudAKeyRead, CloudAPart, CloudAPlace, CloudARotation } from './types.ts'

import { paramOf, publicPem, rotationOf, shortAlias, type KeyReplies } from './wire.ts'

/** Largest page of each list of the cloud. */
const KEYS_A_PAGE = 1_000
const ALIASES_A_PAGE = 100
const TAGS_A_PAGE = 50
const ROTATIONS_A_PAGE = 1_000

export async function refs(place: CloudAPlace, cursor: string | undefined): Promise<RefPage> {
  const reply = await onKms(place, (kms, options) =>
    kms.send(new ListKeysCommand({ Limit: KEYS_A_PAGE, Marker: cursor }), options),
  )
  const next = nextOf(reply)
  return { refs: (reply.Keys ?? []).flatMap(({ KeyId }) => KeyId ?? []), ...defined({ next }) }
}

/** @param name a ref, or an alias with its prefix @throws Refusal CLOUD_NOT_FOUND */
export async function describe(place: CloudAPlace, name: string): Promise<KeyMetadata> {
  const { KeyMetadata: metadata } = await onKms(place, (kms, options) =>
    kms.send(new DescribeKeyCommand({ KeyId: name }), options),
  )
  if (metadata === undefined) throw new Refusal('CLOUD_UNAVAILABLE', 'Cloud-a answered without the key.')
  return metadata
}

export const tagsOf = (place: CloudAPlace, ref: string): Promise<Tag[]> =>
  allPages(async (Marker) => {
    const reply = await onKms(place, (kms, options) =>
      kms.send(new ListResourceTagsCommand({ KeyId: ref, Limit: TAGS_A_PAGE, Marker }), options),
    )
    return { items: reply.Tags, next: nextOf(reply) }
  })

/** JSON text. */
export async function policyOf(place: CloudAPlace, ref: string): Promise<string | undefined> {
  const command = new GetKeyPolicyCommand({ KeyId: ref, PolicyName: 'default' })
  return (await onKms(place, (kms, options) => kms.send(command, options))).Policy
}

export const rotationStatusOf = (place: CloudAPlace, ref: string) =>
  onKms(place, (kms, options) => kms.send(new GetKeyRotationStatusCommand({ KeyId: ref }), options))

/** Aliases of one key, or of the whole region. */
async function aliasPage(place: CloudAPlace, Marker: string | undefined, ref?: string): Promise<Page<AliasListEntry>> {
  const reply = await onKms(place, (kms, options) =>
    kms.send(new ListAliasesCommand({ KeyId: ref, Limit: ALIASES_A_PAGE, Marker }), options),
  )
  return { items: reply.Aliases, next: nextOf(reply) }
}

const aliasesOf = (place: CloudAPlace, ref: string): Promise<AliasListEntry[]> =>
  allPages((marker) => aliasPage(place, marker, ref))

const DENIED = Symbol('denied')

/** A part of a key's description; `undefined` when the key does not have that part. */
async function ifOffered<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work
  } catch (error) {
    if (codeOf(error) === 'UnsupportedOperationException') return undefined
    throw error
  }
}

/** As `ifOffered`, but `DENIED` for a part that we may not read. */
async function ifAllowed<T>(work: Promise<T>): Promise<T | undefined | typeof DENIED> {
  try {
    return await ifOffered(work)
  } catch (error) {
    if (codeOf(error) === 'AccessDeniedException') return DENIED
    throw error
  }
}
type Part = typeof ifAllowed

/**
 * Kinds of key that the cloud can rotate by itself. Ours: all others count as off, which is what the cloud reports for
 * them; this saves a call for each.
 */
const canRotate = ({ KeySpec, Origin, KeyState }: KeyMetadata): boolean =>
  KeySpec === 'SYMMETRIC_DEFAULT' && Origin === 'AWS_KMS' && (KeyState === 'Enabled' || KeyState === 'Disabled')

const NEVER_ROTATED = { KeyRotationEnabled: false }

const known = <T>(part: T | typeof DENIED): T | undefined => (part === DENIED ? undefined : part)

async function detailed(
  place: CloudAPlace,
  ref: string,
  aliasesAt: () => Promise<readonly string[]>,
  part: Part = ifAllowed,
): Promise<CloudAKeyRead> {
  const metadata = await describe(place, ref)
  const [aliases, tags, policy, rotation] = await Promise.all([
    part(aliasesAt()),
    part(tagsOf(place, ref)),
    part(policyOf(place, ref)),
    canRotate(metadata) ? ifAllowed(rotationStatusOf(place, ref)) : undefined,
  ])
  const replies: KeyReplies = {
    metadata,
    aliases: known(aliases) ?? [],
    tags: known(tags),
    policy: known(policy),
    rotation: known(rotation ?? NEVER_ROTATED),
  }
  const parts: Readonly<Record<CloudAPart, unknown>> = { aliases, tags, policy, rotation }
  const denied = namesOf(parts).filter((name) => parts[name] === DENIED)
  return { ref, param: paramOf(replies), ...(denied.length > 0 && { denied }) }
}

const readBy = (place: CloudAPlace, ref: string, part: Part): Promise<CloudAKeyRead | undefined> =>
  ifThere(detailed(place, ref, async () => (await aliasesOf(place, ref)).map(shortAlias), part))

export const read = (place: CloudAPlace, ref: string): Promise<CloudAKeyRead | undefined> =>
  readBy(place, ref, ifAllowed)

export const readWhole = (place: CloudAPlace, ref: string): Promise<CloudAKeyRead | undefined> =>
  readBy(place, ref, ifOffered)

/** Keeps names only, and no list for a single name: those of a large region stay in memory while it is read. */
async function aliasesByKey(place: CloudAPlace): Promise<(ref: string) => string[]> {
  const byKey = new Map<string, string | string[]>()
  let marker: string | undefined
  do {
    const { items = [], next } = await aliasPage(place, marker)
    for (const { TargetKeyId, AliasName = '' } of items) {
      if (TargetKeyId === undefined) continue
      const before = byKey.get(TargetKeyId)
      byKey.set(TargetKeyId, before === undefined ? AliasName : [before, AliasName].flat())
    }
    marker = next
  } while (marker !== undefined)
  return (ref) => [byKey.get(ref) ?? []].flat().map((AliasName) => shortAlias({ AliasName }))
}

/** Lists all aliases of the region at once, instead of one call for each key. */
export async function survey(place: CloudAPlace): Promise<Survey<CloudAKeyRead>> {
  const aliases = await aliasesByKey(place)
  return { read: (ref) => ifThere(detailed(place, ref, () => Promise.resolve(aliases(ref)))) }
}

export async function publicKey(place: CloudAPlace, ref: string): Promise<string> {
  const { PublicKey: der } = await onKms(place, (kms, options) =>
    kms.send(new GetPublicKeyCommand({ KeyId: ref }), options),
  )
  if (der === undefined) throw new Refusal('CLOUD_UNAVAILABLE', 'Cloud-a answered without the public key.')
  return publicPem(der)
}

export const rotatingSince = async (place: CloudAPlace, ref: string): Promise<string | undefined> =>
  timeRead((await rotationStatusOf(place, ref)).OnDemandRotationStartDate)

export const rotations = async (place: CloudAPlace, ref: string): Promise<CloudARotation[]> => {
  const entries = await allPages(async (Marker) => {
    const command = new ListKeyRotationsCommand({
      KeyId: ref,
      IncludeKeyMaterial: 'ALL_KEY_MATERIAL',
      Limit: ROTATIONS_A_PAGE,
      Marker,
    })
    const reply = await onKms(place, (kms, options) => kms.send(command, options))
    return { items: reply.Rotations, next: nextOf(reply) }
  })
  return entries.map(rotationOf)
}
