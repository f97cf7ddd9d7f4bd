import * as z from 'zod'
import { defined } from '../../../base/fields.ts'
import { CloudBAttributes, type CloudBSecretParam } from '../param.ts'
import { LAST_SECONDS, secondsRead, timeRead, UNKNOWN_TIME } from '../../../cloud/adapter/dates.ts'
import { object } from '../../../base/lazy-fields.ts'
import type { DeletedName, Listed } from './items.ts'
import { isItemId, nameInId, refIn } from './names.ts'
import type { CloudBDeletion } from './types.ts'

/** The kinds of items in vaults, as in their addresses. */
export type Kind = 'keys' | 'secrets' | 'certificates'

const Seconds = z.unknown().transform(secondsRead).optional()

/** Attributes in the cloud's format. An invalid value is dropped, so that lists can show the others. */
export const Attributes = object(() => ({
  enabled: z.boolean().default(true).catch(true),
  nbf: Seconds,
  exp: Seconds,
  created: Seconds.transform((at) => at ?? 0),
  updated: Seconds.transform((at) => at ?? 0),
  recoveryLevel: z.string().optional().catch(undefined),
  recoverableDays: z.int().optional().catch(undefined),
  exportable: z.boolean().optional().catch(undefined),
}))

/** An item or a version of one, as lists contain it: keys by `kid`, all others by `id`. */
const ListItem = object(() => ({
  kid: z.string().optional().catch(undefined),
  id: z.string().optional().catch(undefined),
  attributes: Attributes.prefault({}).catch(() => Attributes.parse({})),
  tags: z.record(z.string(), z.string()).nullish().catch(undefined),
  contentType: z.string().optional().catch(undefined),
  managed: z.boolean().optional().catch(undefined),
  deletedDate: Seconds,
  scheduledPurgeDate: Seconds,
}))
export type ListItem = z.infer<typeof ListItem>

const idOf = ({ kid, id }: ListItem): string => kid ?? id ?? ''

/** Skips an entry without an address, which is not an item. */
const itemIn = (entry: unknown): ListItem[] => {
  const { data } = ListItem.safeParse(entry)
  return data === undefined || !isItemId(idOf(data)) ? [] : [data]
}

export const ItemPage = object(() => ({
  value: z
    .array(z.unknown())
    .nullish()
    .transform((entries) => entries?.flatMap(itemIn)),
  nextLink: z.string().nullish(),
}))

export const nameRead = (item: ListItem): string => nameInId(idOf(item))

/** Sorted, so that equal tags have equal text. */
export const tagsRead = (tags: Readonly<Record<string, string>> = {}): Record<string, string> =>
  Object.fromEntries(Object.entries(tags).sort(([a], [b]) => (a < b ? -1 : 1)))

export const listedRead = (item: ListItem): Listed<never> => ({
  ref: refIn(idOf(item)),
  attributes: CloudBAttributes.parse(item.attributes),
  tags: tagsRead(item.tags ?? {}),
})

/** A list of secrets contains everything except their values. */
export function secretRead(item: ListItem): Listed<CloudBSecretParam> {
  const { ref, attributes, tags } = listedRead(item)
  const { contentType, managed } = item
  const param = defined({ id: idOf(item), attributes, contentType, tags, managed }) as CloudBSecretParam // in this order
  return { ref, attributes, tags, param }
}

const isoOf = (seconds: number): string => new Date(seconds * 1000).toISOString()

/** The dates of the deletion in a description. */
export const deletionOf = (dates: {
  readonly deletedDate?: number | undefined
  readonly scheduledPurgeDate?: number | undefined
}): CloudBDeletion => ({
  deleted_at: isoOf(dates.deletedDate ?? 0),
  ...(dates.scheduledPurgeDate !== undefined && { purge_at: isoOf(dates.scheduledPurgeDate) }),
})

export const deletedRead = (item: ListItem): DeletedName => ({ name: nameRead(item), deletion: deletionOf(item) })

/** As `deletionOf`, for an SDK's description. */
export const deletionRead = (dates: {
  readonly deletedOn?: Date | undefined
  readonly scheduledPurgeDate?: Date | undefined
}): CloudBDeletion => ({
  deleted_at: timeRead(dates.deletedOn) ?? UNKNOWN_TIME,
  ...defined({ purge_at: timeRead(dates.scheduledPurgeDate) }),
})

/** Attributes as both SDKs describe them. */
interface SdkAttributes {
  readonly enabled?: boolean | undefined
  readonly notBefore?: Date | undefined
  readonly expiresOn?: Date | undefined
  readonly createdOn?: Date | undefined
  readonly updatedOn?: Date | undefined
  readonly recoveryLevel?: string | undefined
  readonly recoverableDays?: number | undefined
  readonly exportable?: boolean | undefined
}

/** The SDKs return the number 0 for the start of 1970, and an invalid date for a time beyond the range of `Date`. */
function secondsOf(at: Date | undefined): number | undefined {
  if (at === undefined) return undefined
  return secondsRead(Number(at) / 1000) ?? LAST_SECONDS
}

/** The interface's description of attributes: fields in the order of its schema. */
export const attributesRead = (of: SdkAttributes): CloudBAttributes =>
  CloudBAttributes.parse(
    defined({
      enabled: of.enabled ?? true,
      nbf: secondsOf(of.notBefore),
      exp: secondsOf(of.expiresOn),
      created: secondsOf(of.createdOn) ?? 0,
      updated: secondsOf(of.updatedOn) ?? 0,
      recoveryLevel: of.recoveryLevel,
      recoverableDays: of.recoverableDays,
      exportable: of.exportable,
    }),
  )
