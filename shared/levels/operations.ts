import * as z from 'zod'
import { listOf, Uuid } from '../http/common-fields.ts'
import { ok, operation, route, type Route } from '../http/operation.ts'
import { getLevel, listLevels, listParts } from './levels.ts'
import {
  ServiceLevel,
  ServiceLevelPart,
  ServiceLevelPartQuery,
  ServiceLevelPeriod,
  ServiceLevelQuery,
} from './model.ts'

const AT = '/v1/service-levels'
const path = z.strictObject({ id: Uuid })
/** Besides, callers need the permission to read the endpoint, which depends on its protocol. */
const may = 'keymgr-users'

/** Service levels of the endpoints of data planes. */
export const routes: readonly Route[] = [
  route(
    'GET',
    AT,
    operation(
      { summary: 'List Service Levels', query: ServiceLevelQuery, answers: listOf(ServiceLevel), may },
      async ({ query, context }) => ok(await listLevels(context, query)),
    ),
  ),
  route(
    'GET',
    `${AT}/{id}`,
    operation(
      { summary: 'Get Service Level', path, query: ServiceLevelPeriod, answers: ServiceLevel, may },
      async ({ path: { id }, query, context }) => ok(await getLevel(context, id, query)),
    ),
  ),
  route(
    'GET',
    `${AT}/{id}/parts`,
    operation(
      {
        summary: 'List Service Level Parts',
        path,
        query: ServiceLevelPartQuery,
        answers: listOf(ServiceLevelPart),
        may,
      },
      async ({ path: { id }, query, context }) => ok(await listParts(context, id, query)),
    ),
  ),
]
