/** A value of the description; only what the guide reads has a type of its own. */
type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json }

/** An operation, without the rest of its description. */
interface Described {
  readonly operationId: string
  readonly summary?: string
  readonly tags?: readonly string[]
}

/** The description of the interface. @see OpenAPI Specification 3.1 */
export interface Description {
  readonly openapi: string
  readonly info: Json
  readonly servers: Json
  readonly security: Json
  readonly tags: readonly { readonly name: string; readonly description?: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>
  readonly components: Readonly<Record<string, Readonly<Record<string, Json>>>>
}

/** An operation, and where it is in the description. */
export interface Operation {
  readonly id: string
  readonly path: string
  readonly method: string
  readonly tag: string
  /** text that the filter searches, in lower case */
  readonly text: string
}

/** Members of a path that are operations; others describe all of them. */
const METHODS: readonly string[] = ['get', 'post', 'put', 'patch', 'delete']

/** Every operation, in the order of the description. */
export const operationsOf = ({ paths }: Description): Operation[] =>
  Object.entries(paths).flatMap(([path, members]) =>
    Object.entries(members).flatMap(([method, { operationId: id, summary = '', tags: [tag = ''] = [] }]) =>
      METHODS.includes(method)
        ? [{ id, path, method, tag, text: `${method} ${path} ${summary} ${id} ${tag}`.toLowerCase() }]
        : [],
    ),
  )

/** The operations with every word, in any order. */
export function matching(operations: readonly Operation[], wanted: string): Operation[] {
  const words = wanted.toLowerCase().split(/\s+/)
  return operations.filter(({ text }) => words.every((word) => text.includes(word)))
}

const REFERENCE = /"#\/components\/([^/"]+)\/([^/"]+)"/g

/**
 * The description of some operations: their paths, and the components that these name, directly or not. Most
 * tags are a thirtieth of the whole, and the component that shows them takes a time that grows with the size.
 */
export function partOf(description: Description, operations: readonly Operation[]): Description {
  const paths: Record<string, Record<string, Described>> = {}
  for (const { path, method } of operations) {
    const { [method]: found, ...others } = description.paths[path] ?? {}
    const common = Object.entries(others).filter(([name]) => !METHODS.includes(name))
    if (found !== undefined) paths[path] = { ...Object.fromEntries(common), ...paths[path], [method]: found }
  }
  const components: Record<string, Record<string, Json>> = {
    securitySchemes: description.components.securitySchemes ?? {},
  }
  const open: unknown[] = [paths]
  for (let each = open.pop(); each !== undefined; each = open.pop())
    for (const [, kind = '', name = ''] of JSON.stringify(each).matchAll(REFERENCE)) {
      const named = description.components[kind]?.[name]
      const there = (components[kind] ??= {})
      if (named === undefined || name in there) continue
      there[name] = named
      open.push(named)
    }
  const { openapi, info, servers, security } = description
  return { openapi, info, servers, security, tags: [], paths, components }
}
