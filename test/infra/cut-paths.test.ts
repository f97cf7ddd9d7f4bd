import { expect, test } from 'vitest'
import { ROUTES } from '../../infra/routes.ts'

/** A path whose parameters have no names, so that two spellings of one address are equal. */
const shapeOf = (path: string): string => path.replaceAll(/\{[^}]+\}/g, '{}')

test('a call that an encoded question mark cuts before an id reaches only calls that refuse such a rest', () => {
  const reached = ROUTES.filter(({ method }) => method !== 'GET').flatMap((route) => {
    const parts = route.path.split('/')
    const cuts = parts.flatMap((part, at) => (part.startsWith('{') ? [shapeOf(parts.slice(0, at).join('/'))] : []))
    return ROUTES.filter(({ method, path }) => method === route.method && cuts.includes(shapeOf(path))).map(
      (other) => ({
        call: `${route.method} ${route.path}`,
        cutTo: other.path,
        isRefused: ROUTES.some(
          ({ group, method, path }) =>
            group === other.group && method === other.method && path.startsWith(`${other.path}/{`),
        ),
        method: other.method,
      }),
    )
  })
  expect(reached.length).toBeGreaterThan(50)
  expect(reached.filter(({ isRefused }) => !isRefused)).toEqual([])
  expect(new Set(reached.map(({ method }) => method))).toEqual(new Set(['POST']))
})
