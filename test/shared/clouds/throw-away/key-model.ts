import * as z from 'zod'
import { CommonKey, commonKeyFilters, LocalSource } from '../../../../shared/cloud/keys/model.ts'
import { Uuid } from '../../../../shared/http/common-fields.ts'
import { anyPatterns, anyText, listQuery } from '../../../../shared/http/lists/list-query.ts'
import { entity } from '../../../../shared/store/entity.ts'
import type { Family } from '../../../../shared/store/layout.ts'
import { joinedFamily } from '../../../../shared/work/schedule/job-operations/rotated.ts'
import { object, strictObject } from '../../../../shared/base/lazy-fields.ts'

/** The cloud's description of a key. */
export const Param = object(() => ({ id: z.string(), label: z.string(), mark: z.string(), enabled: z.boolean() }))
export type Param = z.infer<typeof Param>

/** A key in lists and records. */
export const Key = CommonKey.extend({
  box: z.string(),
  box_id: z.string(),
  throw_away_param: Param,
  rotation_status: z.enum(['', 'ACTIVE', 'ROTATED', 'FAILED']),
  rotated_from: z.string().optional(),
  rotated_to: z.string().optional(),
  labels: object(() => ({ job_config_id: z.string() })).optional(),
})
export type Key = z.infer<typeof Key>

export const Label = z.string().min(1).max(63)
export const CreateKey = strictObject(() => ({ box: z.string().min(1), label: Label }))
export const UploadKey = CreateKey.extend(LocalSource)
export const RotateKey = strictObject(() => ({ source_key_id: z.string().min(1).optional() }))
export const RotationJob = z.strictObject({ job_config_id: Uuid })
export const KeyQuery = listQuery(Key, () => ({
  ...commonKeyFilters,
  ...anyPatterns('label'),
  box: anyText().optional(),
}))

/** The family of a box's keys, by their ids in the cloud. */
export const keysOfBox = (boxId: string): string => `place:${boxId}`

/**
 * Supported reads: a key by id; by its box and its id in the cloud; all; those of a box; those that joined a
 * configuration.
 */
export const throwAwayKeys = entity({
  name: 'throw-away-key',
  schema: Key,
  id: ({ id }) => id,
  sets: ({ box_id }) => ['all', `box:${box_id}`],
  families: ({ id, box_id, labels, throw_away_param: param }): Family[] => [
    { name: keysOfBox(box_id), key: param.id, exclusive: true },
    ...joinedFamily({ id, labels }),
  ],
  row: ({ throw_away_param: { label }, ...key }) => ({
    id: key.id,
    label,
    box_id: key.box_id,
    gone: key.gone,
    key_material_origin: key.key_material_origin,
    job_config_id: key.labels?.job_config_id,
    createdAt: key.createdAt,
  }),
})
export type KeyRow = ReturnType<typeof throwAwayKeys.row>
