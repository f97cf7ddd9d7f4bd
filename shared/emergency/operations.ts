import * as z from 'zod'
import { Uuid } from '../http/common-fields.ts'
import { okStored, operation, route, type Route } from '../http/operation.ts'
import { blockResource, confirmOpening, openBlock } from './blocks.ts'
import { listHits } from './hits.ts'
import { EmergencyBlock, EmergencyHit, EmergencyHitQuery } from './model.ts'

const { on } = blockResource

/** POST /v1/emergency/blocks/{id}/confirm: who confirms need not be an administrator. */
const confirm = route(
  'POST',
  '/v1/emergency/blocks/{id}/confirm',
  operation(
    {
      summary: 'Confirm Emergency Opening',
      path: z.strictObject({ id: Uuid }),
      answers: EmergencyBlock,
      may: 'signed-in',
    },
    async ({ path, context }) => okStored(await confirmOpening(context, path.id)),
  ),
)

/** Emergency blocks, drills, and the callers that met them. */
export const routes: readonly Route[] = [
  ...blockResource.routes,
  on.act('open', 'Open Emergency Block', openBlock),
  confirm,
  on.listWithin('hits', 'List Emergency Block Hits', EmergencyHitQuery, EmergencyHit, listHits),
]
