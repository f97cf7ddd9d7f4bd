const PARTS = /^(https?):\/\/([^/?#@\\]+)(\/[^?#\\]*)?$/i

/**
 * An address of a service in one spelling: scheme and host in lower case, without port 443 and without a trailing
 * slash; the path unchanged. `undefined` for a text that is not an address.
 */
export function spelledUrl(text: string): string | undefined {
  const [, scheme, host, path = ''] = PARTS.exec(text) ?? []
  if (scheme === undefined || host === undefined) return undefined
  return `${scheme.toLowerCase()}://${host.toLowerCase().replace(/:443$/, '')}${path.replace(/\/$/, '')}`
}

/** Whether a claim names the service at an address. */
export const isUrlOf = (url: string, claim: unknown): boolean =>
  claim === url || (typeof claim === 'string' && spelledUrl(claim) === spelledUrl(url))
