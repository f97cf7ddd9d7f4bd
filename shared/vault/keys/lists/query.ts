import * as z from 'zod'
import { FreeJson, Name, Time } from '../../../http/common-fields.ts'
import {
  anyOf,
  anyPatterns,
  anyText,
  anyTexts,
  flag,
  integer,
  listBody,
  listQuery,
  oneText,
  Pattern,
  time,
} from '../../../http/lists/list-query.ts'
import { labelsIn, SELECTOR_RULE } from '../../../http/lists/selectors.ts'
import { OBJECT_TYPES } from '../../../crypto/object-types.ts'
import { LINK_TYPES, KEY_STATES, KeyLabel, LocalKey, USAGE_ALL, USAGE_BITS } from '../model.ts'

const FIELDS = ['meta', 'links'] as const
const FIELDS_WORDS = 'records always contain both; accepted for compatibility'

/** Filters of the list of local keys. */
export const LocalKeyQuery = listQuery(LocalKey, () => ({
  ...anyPatterns('name'),
  ...anyTexts('alias', 'id', 'uri'),
  version: integer(-1, 1_000_000_000).optional(),
  state: anyOf(KEY_STATES).optional(),
  objectType: anyOf(OBJECT_TYPES).optional(),
  algorithm: anyText().optional(),
  size: integer(0, 262_144).optional().meta({ description: 'bits' }),
  curveid: anyText().optional(),
  usageMask: integer(0, USAGE_ALL)
    .optional()
    .meta({ description: `exactly these bits: ${USAGE_BITS}` }),
  labels: oneText().optional(),
  keyCheckValue: anyText().optional(),
  linkType: anyOf(LINK_TYPES).optional(),
  ...anyTexts('sha1Fingerprint', 'sha256Fingerprint'),
  compareIDWithUUID: flag().optional(),
  unexportable: flag().optional(),
  undeletable: flag().optional(),
  metaContains: oneText().optional(),
  expires_before: time().optional().meta({ description: 'keys whose deactivationDate is earlier' }),
  fields: anyOf(FIELDS).optional().meta({ description: FIELDS_WORDS }),
}))
export type LocalKeyQuery = z.infer<typeof LocalKeyQuery>

export const KeyVersionQuery = listQuery(LocalKey, () => ({}))
export type KeyVersionQuery = z.infer<typeof KeyVersionQuery>

/** Filters of the labels in use. */
export const KeyLabelQuery = listQuery(KeyLabel, () => anyPatterns('label'))
export type KeyLabelQuery = z.infer<typeof KeyLabelQuery>

const SomeText = z.string().min(1).max(1_024)
const Mask = z.int().min(0).max(USAGE_ALL)

/** Body of a search for keys. Every field narrows it; a list matches any of its members. */
export const QueryKeys = listBody(LocalKey, () => ({
  name: Pattern.optional(),
  names: z.array(Name).min(1).max(100).optional(),
  nameContains: SomeText.max(255).optional(),
  algorithm: SomeText.optional(),
  size: z.int().min(0).max(262_144).optional().meta({ description: 'bits' }),
  curveid: SomeText.optional(),
  state: z.enum(KEY_STATES).optional(),
  states: z.array(z.enum(KEY_STATES)).min(1).max(KEY_STATES.length).optional(),
  objectType: z.enum(OBJECT_TYPES).optional(),
  usageMask: Mask.optional().meta({ description: `exactly these bits: ${USAGE_BITS}` }),
  usageMaskContains: Mask.optional().meta({ description: `at least these bits: ${USAGE_BITS}` }),
  metaContains: FreeJson.optional(),
  labels: SomeText.refine((selector) => labelsIn(selector) !== undefined, { error: SELECTOR_RULE })
    .optional()
    .meta({ description: 'a selector: a=b,c' }),
  aliases: z.array(Name).min(1).max(100).optional(),
  deactivationBefore: Time.optional(),
  fields: z.array(z.enum(FIELDS)).max(FIELDS.length).optional().meta({ description: FIELDS_WORDS }),
}))
export type QueryKeys = z.infer<typeof QueryKeys>
