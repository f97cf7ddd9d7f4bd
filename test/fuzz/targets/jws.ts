import { readCompactJws } from '../../../shared/crypto/jose/jws.ts'
import { filled, nested, type Target } from '../target.ts'

const part = (text: string): string => Buffer.from(text).toString('base64url')

export const target: Target = {
  parse: (bytes) => readCompactJws(bytes.toString('latin1')),
  seeds: () => [`${part('{"alg":"RS256","kid":"a"}')}.${part('{"sub":"a","exp":1}')}.AAAA`],
  shapes: () => ({
    dots: filled('.'),
    'a long signature': filled('A', `${part('{}')}.${part('{}')}.`),
    'a deep payload': `${part('{}')}.${part(`{"a":${nested('[', '', ']').slice(0, 40_000)}}`)}.AAAA`,
    'many members': `${part('{}')}.${part(`{${Array.from({ length: 5_000 }, (_, at) => `"k${at}":1`).join()}}`)}.AAAA`,
    'other letters': filled('-_'),
  }),
}
