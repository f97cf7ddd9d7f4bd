import { isObject } from '../../base/json.ts'
import { setting } from '../../base/environment.ts'
import { isList } from '../lists/list-size.ts'
import { isTrial, type Reply, type Route } from '../operation.ts'

/** Tests set this: an answer that does not match its declared schema is then a fault. */
const checked = setting('KEYMGR_CHECK_ANSWERS') === 'true'

/** @throws Error, a fault, naming where the answer does not match its schema */
export function assertAnswer(route: Route, reply: Reply): void {
  if (!checked) return
  const { method, path, operation } = route
  const { status, body } = reply
  const { status: declared = 200, mayRedirect, mayDefer, mayBeDown, tries } = operation.declaration
  const isTried = isTrial(route, reply)
  const answers = isTried ? tries : operation.declaration.answers
  if (status === 302 && mayRedirect === true) return
  const isOther = (status === 202 && mayDefer === true) || (status === 503 && mayBeDown === true)
  if (status !== declared && !isOther && !isTried)
    throw new Error(`${method} ${path} answered ${status} where ${declared} is declared`)
  if (answers === undefined) {
    if (body !== undefined) throw new Error(`${method} ${path} answered a body where none is declared`)
    return
  }
  const parsed = answers.safeParse(withoutDamaged(JSON.parse(JSON.stringify(body))))
  if (!parsed.success) throw new Error(`${method} ${path} left its schema: ${parsed.error.message}`)
}

/** A list without its damaged records: only their valid fields are shown, so they do not match the schema. */
const withoutDamaged = (body: unknown): unknown =>
  isList(body) ? { ...body, resources: body.resources.filter((one) => !isObject(one) || !('damaged' in one)) } : body
