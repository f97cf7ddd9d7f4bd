import { found } from '../web/element.ts'
import type { Description } from './description.ts'

interface Sent {
  url: string
  headers: Record<string, string>
}

interface Options {
  readonly spec: Description
  readonly domNode: HTMLElement
  readonly deepLinking: boolean
  readonly validatorUrl: null
  readonly docExpansion: 'list'
  readonly defaultModelsExpandDepth: number
  readonly tryItOutEnabled: boolean
  readonly persistAuthorization: boolean
  readonly requestInterceptor: (request: Sent) => Promise<Sent>
  readonly onComplete: () => void
}

declare global {
  interface Window {
    SwaggerUIBundle?: (options: Options) => unknown
  }
}

let loaded: Promise<void> | undefined

/** Loads the component that shows operations, once: half a megabyte, which the list of tags does not wait for. */
export const loadComponent = (): Promise<void> =>
  (loaded ??= new Promise((resolve, reject) => {
    const script = document.createElement('script')
    script.src = found('component', HTMLLinkElement).href
    script.addEventListener('load', () => resolve())
    script.addEventListener('error', () => {
      loaded = undefined // a later try may reach it
      script.remove()
      reject(new Error('The guide could not be loaded. Is there a network?'))
    })
    document.head.append(script)
  }))

/**
 * Shows operations in an element, in place of its content.
 * @param token of the session, for calls that are tried
 * @throws Error if the component cannot be loaded
 */
export async function show(place: HTMLElement, spec: Description, token: () => Promise<string>): Promise<void> {
  await loadComponent()
  const domNode = document.createElement('div')
  await new Promise<void>((resolve) => {
    window.SwaggerUIBundle?.({
      ...{ spec, domNode, deepLinking: false, validatorUrl: null, docExpansion: 'list', defaultModelsExpandDepth: -1 },
      ...{ tryItOutEnabled: true, persistAuthorization: false, onComplete: resolve },
      requestInterceptor: async (request) => {
        if (new URL(request.url, location.href).origin === location.origin)
          request.headers.authorization = `Bearer ${await token()}`
        return request
      },
    })
    place.replaceChildren(domNode)
  })
}
