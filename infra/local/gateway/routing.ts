import type { FunctionRow } from '../../functions.ts'

export interface Route {
  readonly functionName: string
  /** Route key of the HTTP API: `POST <path>/{key}`, `ANY <path>/{id}/<call>`, `ANY <path>/{id}/<call>/{rest+}`, `ANY <prefix>`, `ANY <prefix>/{proxy+}` or `$default`. */
  readonly key: string
  readonly pathParameters?: Readonly<Record<string, string>>
}

export type Router = (method: string, path: string) => Route | undefined

/** The segments of a path; the last of them may have slashes if the path has more. */
function segmentsOf(path: string, most: number): string[] {
  const segments = path.split('/')
  return segments.length <= most ? segments : [...segments.slice(0, most - 1), segments.slice(most - 1).join('/')]
}

/** Path parameters of a single route, by name; `undefined` when the route does not match the path. */
function parametersOf(call: string, method: string, path: string): Record<string, string> | undefined {
  const [wanted, pattern = ''] = call.split(' ', 2)
  const names = pattern.split('/')
  const given = segmentsOf(path, pattern.endsWith('+}') ? names.length : Infinity)
  if ((wanted !== 'ANY' && wanted !== method) || names.length !== given.length) return undefined
  const found: Record<string, string> = {}
  for (const [at, name] of names.entries()) {
    const segment = given[at] ?? ''
    const [, variable] = /^\{(.+?)\+?\}$/.exec(name) ?? []
    if (variable === undefined ? name !== segment : segment === '') return undefined
    if (variable !== undefined) found[variable] = segment
  }
  return found
}

/**
 * Finds the function of a decoded path: a single route, else the longest prefix that equals the path or is a folder
 * above it.
 */
export function createRouter(rows: readonly FunctionRow[]): Router {
  const calls = rows.flatMap(({ name, calls = [] }) => calls.map((call) => ({ functionName: name, call })))
  const prefixes = rows.flatMap(({ name, prefixes }) => prefixes.map((prefix) => ({ functionName: name, prefix })))
  const fallback = prefixes.find(({ prefix }) => prefix === '$default')
  const longestFirst = prefixes.filter((row) => row !== fallback).sort((a, b) => b.prefix.length - a.prefix.length)
  return (method, path) => {
    for (const { functionName, call } of calls) {
      const pathParameters = parametersOf(call, method, path)
      if (pathParameters !== undefined) return { functionName, key: call, pathParameters }
    }
    for (const { functionName, prefix } of longestFirst) {
      if (path === prefix) return { functionName, key: `ANY ${prefix}` }
      if (path.startsWith(`${prefix}/`)) {
        return { functionName, key: `ANY ${prefix}/{proxy+}`, pathParameters: { proxy: path.slice(prefix.length + 1) } }
      }
    }
    return fallback && { functionName: fallback.functionName, key: '$default' }
  }
}
