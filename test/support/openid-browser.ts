/** A browser with cookies that makes one request at a time and does not follow redirects. */
class Browser {
  readonly #cookies = new Map<string, string>()

  async ask(url: URL, form?: Readonly<Record<string, string>>): Promise<Response> {
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie: [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(form && { method: 'POST', body: new URLSearchParams(form) }),
    })
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      if (value === '') this.#cookies.delete(name)
      else this.#cookies.set(name, value)
    }
    return response
  }
}

const STEPS_MOST = 12

/** The form on a page of the provider, filled in. */
function filledIn(page: string, sub: string): { action: string; form: Record<string, string> } {
  const [, action = ''] = /<form [^>]*action="([^"]+)"/.exec(page) ?? []
  const [, prompt] = /name="prompt" value="(login|consent)"/.exec(page) ?? []
  if (prompt === undefined) throw new Error(`The provider shows another page: ${page.slice(0, 1_000)}`)
  return { action, form: prompt === 'login' ? { prompt, login: sub, password: 'any' } : { prompt } }
}

/**
 * Opens an authorization request in a browser, logs a person in there and consents.
 * @returns the address, with a code, to which the provider redirects the browser
 * @throws Error for an unexpected page
 */
export async function signIn(authorization: URL, sub: string): Promise<URL> {
  const browser = new Browser()
  let url = authorization
  let form: Record<string, string> | undefined
  for (let step = 0; step < STEPS_MOST; step++) {
    const response = await browser.ask(url, form)
    const location = response.headers.get('location')
    if (location !== null) {
      url = new URL(location, url)
      form = undefined
      if (url.origin !== authorization.origin) return url
    } else {
      const page = filledIn(await response.text(), sub)
      url = new URL(page.action, url)
      form = page.form
    }
  }
  throw new Error('The provider does not come to an end')
}

/** The form on a page of the device flow, filled in; `undefined` on the last page. */
function filledInForDevice(page: string, sub: string): { action: string; form: Record<string, string> } | undefined {
  if (page.includes('name="prompt"')) return filledIn(page, sub)
  const [, action] = /<form [^>]*action="([^"]+)"/.exec(page) ?? []
  if (action === undefined) return undefined
  const inputs = [...page.matchAll(/<input [^>]*name="([^"]+)"[^>]*value="([^"]*)"/g)]
  const form = Object.fromEntries(inputs.map(([, name = '', value = '']) => [name, value]))
  return { action, form: page.includes('op.deviceConfirmForm') ? { ...form, confirm: 'yes' } : form }
}

/** Opens the page of a device's log-in in a browser, and confirms it like a person. */
export async function confirmDevice(verification: URL, sub: string): Promise<void> {
  const browser = new Browser()
  let url = verification
  let form: Record<string, string> | undefined
  for (let step = 0; step < 2 * STEPS_MOST; step++) {
    const response = await browser.ask(url, form)
    const location = response.headers.get('location')
    form = undefined
    if (location !== null) url = new URL(location, url)
    else {
      const page = filledInForDevice(await response.text(), sub)
      if (page === undefined) return
      url = new URL(page.action, url)
      form = page.form
    }
  }
  throw new Error('The provider does not come to an end')
}
