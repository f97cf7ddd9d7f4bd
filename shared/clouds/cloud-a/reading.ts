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
import { Refusal } from '../../errors.ts'
import type { RefPage, Survey } from '../cloud.ts'
import { onKms } from './client.ts'
import { codeOf } from './errors.ts'
import { allPages, nextOf } from './paging.ts'
import type { CloudAKeyRead, CloudAPlace, CloudARotation } from './types.ts'
import { ifThere } from './waiting.ts'
import { paramOf, publicPem, rotationOf, shortAlias, type KeyReplies } from './wire.ts'

/** The most the cloud gives at once, of each list. */
const KEYS_A_PAGE = 1_000
const ALIASES_A_PAGE = 100
const TAGS_A_PAGE = 50
const ROTATIONS_A_PAGE = 1_000

export async function refs(place: CloudAPlace, cursor: string | undefined): Promise<RefPage> {
  const reply = await onKms(place, (kms, options) =>
    kms.send(new ListKeysCommand({ Limit: KEYS_A_PAGE, Marker: cursor }), options),
  )
  const next = nextOf(reply)
  return { refs: (reply.Keys ?? []).flatMap(({ KeyId }) => KeyId ?? []), ...(next !== undefined && { next }) }
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

/** Of one key, or of the whole region. */
const aliasesOf = (place: CloudAPlace, ref?: string): Promise<AliasListEntry[]> =>
  allPages(async (Marker) => {
    const reply = await onKms(place, (kms, options) =>
      kms.send(new ListAliasesCommand({ KeyId: ref, Limit: ALIASES_A_PAGE, Marker }), options),
    )
    return { items: reply.Aliases, next: nextOf(reply) }
  })

/** What we may not read, or the key does not have, is left out of its description and spoils no reading. */
const LEFT_OUT: ReadonlySet<string> = new Set(['AccessDeniedException', 'UnsupportedOperationException'])

async function ifAllowed<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work
  } catch (error) {
    if (LEFT_OUT.has(codeOf(error) ?? '')) return undefined
    throw error
  }
}

/** Kinds of key that the cloud can rotate by itself. Ours: others are not asked about, which saves a call for each. */
const canRotate = ({ KeySpec, KeyManager, Origin, KeyState }: KeyMetadata): boolean =>
  KeySpec === 'SYMMETRIC_DEFAULT' &&
  KeyManager === 'CUSTOMER' &&
  Origin === 'AWS_KMS' &&
  (KeyState === 'Enabled' || KeyState === 'Disabled')

async function detailed(
  place: CloudAPlace,
  ref: string,
  aliases: () => Promise<readonly string[]>,
): Promise<CloudAKeyRead> {
  const metadata = await describe(place, ref)
  const [own, tags, policy, rotation] = await Promise.all([
    aliases(),
    ifAllowed(tagsOf(place, ref)),
    ifAllowed(policyOf(place, ref)),
    canRotate(metadata) ? ifAllowed(rotationStatusOf(place, ref)) : undefined,
  ])
  const replies: KeyReplies = { metadata, aliases: own, tags, policy, rotation }
  return { ref, param: paramOf(replies) }
}

export const read = (place: CloudAPlace, ref: string): Promise<CloudAKeyRead | undefined> =>
  ifThere(
    detailed(place, ref, async () => ((await ifAllowed(aliasesOf(place, ref))) ?? []).map((each) => shortAlias(each))),
  )

/** Every key's aliases in one list of the region, where a list for each key would cost a call each. */
export async function survey(place: CloudAPlace): Promise<Survey<CloudAKeyRead>> {
  const entries = (await aliasesOf(place)).filter(({ TargetKeyId }) => TargetKeyId !== undefined)
  const byKey = Map.groupBy(entries, ({ TargetKeyId = '' }) => TargetKeyId)
  const aliasesHere = (ref: string) => Promise.resolve((byKey.get(ref) ?? []).map((each) => shortAlias(each)))
  return { read: (ref) => ifThere(detailed(place, ref, () => aliasesHere(ref))) }
}

export async function publicKey(place: CloudAPlace, ref: string): Promise<string> {
  const { PublicKey: der } = await onKms(place, (kms, options) =>
    kms.send(new GetPublicKeyCommand({ KeyId: ref }), options),
  )
  if (der === undefined) throw new Refusal('CLOUD_UNAVAILABLE', 'Cloud-a answered without the public key.')
  return publicPem(der)
}

export const rotatingSince = async (place: CloudAPlace, ref: string): Promise<string | undefined> =>
  (await rotationStatusOf(place, ref)).OnDemandRotationStartDate?.toISOString()

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
