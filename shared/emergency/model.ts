import * as z from 'zod'
import { extended, strictObject, object } from '../base/lazy-fields.ts'
import { column, FreeText, NameOrId, Resource, Time } from '../http/common-fields.ts'
import { anyOf, anyTexts, flag, listQuery } from '../http/lists/list-query.ts'
import { BLOCKED_KINDS } from './board.ts'

const BLOCK_STATES = ['active', 'opening', 'opened', 'lapsed'] as const
export type BlockState = (typeof BLOCK_STATES)[number]

const Username = z.string().min(1).max(255)
/** Ours: a caller of an endpoint is named by an address of mail, an ARN or the subject of a token. */
const CallerName = z.string().min(1).max(2_048)
const CONFIRMERS_MOST = 10
const CALLERS_MOST = 50

/** A block, or a drill of one. */
export const EmergencyBlock = extended(Resource, () => ({
  kind: z.enum(BLOCKED_KINDS),
  target: z.string().meta({
    description: 'name of the local key, id of the endpoint, container or domain, or name of the cloud or protocol',
  }),
  target_uri: z.string().optional(),
  target_name: z.string().meta(column('name')),
  drill: z.boolean(),
  callers: z.array(z.string()).optional().meta({ description: 'of a drill: callers that it refuses like a block' }),
  reason: z.string(),
  until: Time.meta({ description: 'it opens by itself then' }),
  confirmers: z.array(z.string()).meta({ description: 'users, one of whom must confirm an earlier opening' }),
  state: z.enum(BLOCK_STATES).meta(column('state')),
  created_by: z.string(),
  opening_by: z.string().optional().meta({ description: 'user who asked for an earlier opening' }),
  opening_at: Time.optional(),
  opened_by: z.string().optional().meta({ description: 'user who confirmed it, or ended the drill' }),
  opened_at: Time.optional(),
}))
export type EmergencyBlock = z.infer<typeof EmergencyBlock>

export const CreateEmergencyBlock = strictObject(() => ({
  kind: z.enum(BLOCKED_KINDS),
  target: NameOrId.meta({
    description: 'name or id of a local key; id of an endpoint, container or domain; name of a cloud or protocol',
  }),
  reason: FreeText.min(1),
  until: Time.meta({ description: 'it opens by itself then: at most 90 days from now' }),
  confirmers: z
    .array(Username)
    .max(CONFIRMERS_MOST)
    .default([])
    .meta({ description: 'names of users, one of whom must confirm an earlier opening; required of a block' }),
  drill: z.boolean().default(false),
  callers: z
    .array(CallerName)
    .max(CALLERS_MOST)
    .optional()
    .meta({ description: 'only of a drill: callers that it refuses like a block, by their names in audit records' }),
}))
export type CreateEmergencyBlock = z.infer<typeof CreateEmergencyBlock>

export const EmergencyBlockQuery = listQuery(EmergencyBlock, () => ({
  kind: anyOf(BLOCKED_KINDS).optional(),
  state: anyOf(BLOCK_STATES).optional(),
  drill: flag().optional(),
  ...anyTexts('target'),
}))
export type EmergencyBlockQuery = z.infer<typeof EmergencyBlockQuery>

/** The calls of one caller that met a block or a drill. */
export const EmergencyHit = object(() => ({
  id: z.string(),
  caller: z.string().meta({ description: 'its name in audit records; empty for an unknown caller' }),
  function: z.string().meta({ description: 'that answered the calls' }),
  calls: z.int(),
  first_at: Time,
  last_at: Time,
}))
export type EmergencyHit = z.infer<typeof EmergencyHit>

export const EmergencyHitQuery = listQuery(EmergencyHit, () => ({ ...anyTexts('caller', 'function') }))
export type EmergencyHitQuery = z.infer<typeof EmergencyHitQuery>
