import type { FunctionRow } from '../functions.ts'

export interface Route {
  readonly functionName: string
  /** As the HTTP API names it: `ANY <prefix>`, `ANY <prefix>/{proxy+}` or `$default`. */
  readonly key: string
  readonly pathParameters?: { readonly proxy: string }
}

/** Finds the function of a decoded path: the longest prefix that stands for the path or is a folder above it. */
export function createRouter(rows: readonly FunctionRow[]): (path: string) => Route | undefined {
  const prefixes = rows.flatMap(({ name, prefixes }) => prefixes.map((prefix) => ({ functionName: name, prefix })))
  const fallback = prefixes.find(({ prefix }) => prefix === '$default')
  const longestFirst = prefixes.filter((row) => row !== fallback).sort((a, b) => b.prefix.length - a.prefix.length)
  return (path) => {
    for (const { functionName, prefix } of longestFirst) {
      if (path === prefix) return { functionName, key: `ANY ${prefix}` }
      if (path.startsWith(`${prefix}/`)) {
        return { functionName, key: `ANY ${prefix}/{proxy+}`, pathParameters: { proxy: path.slice(prefix.length + 1) } }
      }
    }
    return fallback && { functionName: fallback.functionName, key: '$default' }
  }
}
