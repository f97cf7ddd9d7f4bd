import { ok, okStored, operation, route, type Route } from '../../http/operation.ts'
import { Properties, Property, PropertyPath, PropertyQuery, UpdateProperty } from './model.ts'
import { getProperty, listProperties, resetProperty, updateProperty } from './properties.ts'

const AT = '/v1/configs/properties'
const path = PropertyPath
const answers = Property

/** GET /v1/configs/properties */
const list = operation(
  { summary: 'List Properties', query: PropertyQuery, answers: Properties, may: 'admins' },
  async ({ query, context }) => ok(await listProperties(context, query)),
)

/** GET /v1/configs/properties/{name} */
const get = operation({ summary: 'Get Property', path, answers, may: 'admins' }, async ({ path: { name }, context }) =>
  okStored(await getProperty(context, name)),
)

/** PATCH /v1/configs/properties/{name} */
const update = operation(
  { summary: 'Update Property', path, body: UpdateProperty, answers, may: 'admins' },
  async ({ path: { name }, body, context }) => okStored(await updateProperty(context, name, body)),
)

/** POST /v1/configs/properties/{name}/reset */
const reset = operation(
  { summary: 'Reset Property', path, answers, may: 'admins' },
  async ({ path: { name }, context }) => okStored(await resetProperty(context, name)),
)

/** Settings that administrators of the deployment can change. */
export const propertyRoutes: readonly Route[] = [
  route('GET', AT, list),
  route('GET', `${AT}/{name}`, get),
  route('PATCH', `${AT}/{name}`, update),
  route('POST', `${AT}/{name}/reset`, reset),
]
