// The page of age sessions in a real browser: what is asked, every way to the end, and what goes wrong on the way there.

import { method } from "../age-responses";
import { CHALLENGE, PUBLIC_KEY } from "../token-issuer";
import {
  confirmStop,
  expectAccessible,
  fill,
  holdApplications,
  intercept,
  press,
  pressableElement,
  stopClock,
  tabTo,
  method as way,
} from "./actions";
import {
  accessible,
  arrive,
  embed,
  errors,
  FACE,
  heading,
  keep,
  OVER,
  says,
  TAKE_BACK,
  test,
  toProvider,
  waiting,
} from "./age-page";
import { formStep, SDK_ID, SESSION } from "./age-stand-in";
import { expect } from "./fixtures";
import { scanScreen } from "./qr-scanner";

test("it says who asks, why and what is kept, and offers the ways in their order", async ({ page, server }) => {
  server.methods = [{ ...FACE }, method("DOC_SCAN"), method("CREDIT_CARD", { threshold: 21 }), method("EMAIL")];
  server.view = {
    privacy_policy: "https://shop.example/privacy",
    terms_and_conditions: "http://shop.example/terms",
    sandbox: true,
  };
  await page.goto(server.page());
  await heading(page, OVER);
  for (const words of ["Demo shop asks", "18 or over", "kept for 30 days", "Privacy policy", "Terms"]) {
    await says(page, words);
  }
  await expect(page.locator(".way strong")).toHaveText([
    "Age from your face",
    "Identity document",
    "Credit card",
    "Email address",
  ]);
  await expect(page.locator(".way").nth(2)).toContainText("taken for 21 or over");
  const links = page.locator(".links a");
  expect(
    await links.evaluateAll((all) => all.map((link) => [link.getAttribute("href"), link.getAttribute("rel")])),
  ).toEqual([
    ["https://shop.example/privacy", "noopener noreferrer"],
    ["http://shop.example/terms", "noopener noreferrer"],
  ]);
  await expect(page.locator(".way").nth(1), "no driving licence of a Briton is read").toContainText(
    "A photo of your passport or identity card.",
  );
  await expect(page.locator("#sandbox")).toContainText("This is a test");
  await accessible(page, "the first screen");
  await keep(page, "01-start");
  await page.setViewportSize({ width: 1280, height: 900 });
  await keep(page, "01-start-desk");
  for (const [kind, words] of [
    ["UNDER", "Show that you are under 21"],
    ["AGE", "Show how old you are"],
  ] as const) {
    server.view = { type: kind };
    await arrive(page, server.page());
    await heading(page, words);
  }
});

test("that nothing is real is said on every screen of the sandbox, and a passkey is offered last", async ({
  page,
  server,
}) => {
  server.methods = [method("SVC_KEY"), method("EMAIL"), method("DOC_SCAN", { preset_issuing_country: "USA" })];
  server.view = { sandbox: true };
  const notice = page.locator("#sandbox");
  await page.goto(server.page());
  await expect(page.locator(".way strong")).toHaveText(["Email address", "Identity document", "Passkey"]);
  await expect(page.locator(".way").nth(1)).toContainText("driving licence");
  await expect(page.locator(".way").nth(2)).toContainText("If you kept a proof of your age on this device before.");
  await expect(notice).toBeVisible();
  await way(page, "Email address").click();
  await heading(page, "Your email address");
  await expect(notice).toBeVisible();
  await accessible(page, "a form in the sandbox");
  await keep(page, "38-sandbox");
  await fill(page, "Email address", "ada@example.com");
  await press(page, "Check");
  await heading(page, "Type the code");
  await expect(notice).toBeVisible();
  await fill(page, "Code", "123456");
  await press(page, "Continue");
  await heading(page, "Your age is confirmed");
  await expect(notice).toBeVisible();
  server.view = {};
  await arrive(page, server.page());
  await heading(page, "Your age is confirmed");
  await expect(notice).toBeHidden();
});

test.describe(() => {
  test.use({ locale: "en-US" });
  test("a driving licence is named to those whose licences are read", async ({ page, server }) => {
    server.methods = [method("DOC_SCAN"), method("EMAIL")];
    await page.goto(server.page());
    await expect(page.locator(".way").first()).toContainText("passport, identity card or driving licence");
  });
});

test("the phone's Back leads from within the session to the choice, and from there away", async ({ page, server }) => {
  server.methods = [{ ...FACE }, method("EMAIL")];
  server.consent.required = true;
  await page.goto(server.page());
  await way(page, "Email address").click();
  await heading(page, "Your email address");
  await page.goBack();
  await heading(page, OVER);
  await way(page, "Age from your face").click();
  await heading(page, "May your face be measured?");
  await press(page, "I agree");
  await heading(page, "Now your face");
  await page.goBack();
  await heading(page, OVER);
  // The way back of the page's own leaves nothing that would hold anybody.
  await way(page, "Email address").click();
  await press(page, "Choose another way");
  await heading(page, OVER);
  await page.goBack();
  await expect(page).toHaveURL("about:blank");
});

test("what only the business's app can do is said, and the other ways are offered", async ({ page, server }) => {
  const inApp = method("DEVICE_SIGNAL", { in_app: true });
  server.methods = [inApp, method("EMAIL")];
  await page.goto(server.page());
  await says(page, "You can also confirm your age in Demo shop’s app.");
  await expect(page.locator(".way")).toHaveCount(1);
  await accessible(page, "an app beside other ways");
  server.methods = [inApp];
  await page.goto(server.page());
  await heading(page, "In the app");
  await says(page, "Go on in Demo shop’s app");
  await expect(page.locator(".way")).toHaveCount(0);
  await accessible(page, "an app alone");
});

test("at the end the proof can be taken along, and nobody is led away meanwhile", async ({ page, server }) => {
  server.status = "COMPLETE";
  server.view = {
    offers: { key: true, proof: true },
    callback: { url: `${server.origin}/thanks`, auto: true },
  };
  await page.goto(server.page());
  await heading(page, "Your age is confirmed");
  await expect(pressableElement(page, "Get my proof of age")).toBeVisible();
  await accessible(page, "the offers");
  await keep(page, "24-offers");
  await press(page, "Get my proof of age");
  await expect(page.locator("svg.code path")).toHaveAttribute("d", /./);
  await page.locator("svg.code").scrollIntoViewIfNeeded();
  await accessible(page, "the proof");
  await keep(page, "25-proof");
  await expect(page.locator("#offers a")).toHaveAttribute("href", `${server.origin}/holder#invitation`);
  await expect(page.locator("#leaving")).toHaveCount(0);
  server.refuse("POST /key", 400, "INVALID_REQUEST");
  await press(page, "Keep this proof on this device");
  await says(page, "It was not kept. You can try again.");
  server.refuse("POST /key", 409, "INVALID_STATUS");
  await press(page, "Keep this proof on this device");
  await says(page, "It cannot be kept any more, or it was kept already.");
  await expect(pressableElement(page, "Keep this proof on this device")).toHaveCount(0);
});

test("a proof whose address gets lost is not offered again, because it is made once", async ({ page, server }) => {
  server.status = "COMPLETE";
  server.view = { offers: { key: false, proof: true }, callback: null };
  server.losses.set("POST /proof", 1);
  await page.goto(server.page());
  await press(page, "Get my proof of age");
  await says(page, "It cannot be made any more, or it was made already and did not arrive here.");
  await expect(pressableElement(page, "Get my proof of age")).toHaveCount(0);
  await accessible(page, "a lost proof");
  expect(server.count(/^POST \/proof$/)).toBe(2);
});

test("the return is announced and can be stopped", async ({ page, server }) => {
  await page.clock.install();
  // Nobody is taken anywhere before the test says so.
  await stopClock(page);
  server.status = "COMPLETE";
  server.view = { callback: { url: `${server.origin}/thanks`, auto: true } };
  await page.goto(server.page());
  await expect(page.locator("#leaving")).toBeVisible();
  await page.clock.runFor(3000);
  await expect(page.locator("#spoken")).toContainText(/^You are taken back/);
  await press(page, "Stay here");
  await expect(page.locator("#leaving")).toHaveCount(0);
  await expect(page.locator("#heading")).toBeFocused();
  await page.clock.runFor(60_000);
  await heading(page, "Your age is confirmed");
  await press(page, "Go on");
  await expect(page).toHaveURL(/\/thanks$/);
});

test("an application is called once, and the page that stays counts no more", async ({ page, server }) => {
  const called = await holdApplications(page);
  await page.clock.install();
  await stopClock(page);
  server.status = "COMPLETE";
  server.view = { callback: { url: "myapp://done", auto: true } };
  await page.goto(server.page());
  await expect(page.locator("#leaving")).toBeVisible();
  await page.locator("#stay").focus();
  await page.clock.runFor(10_000);
  expect(await called()).toEqual(["myapp://done"]);
  await expect(page.locator("#heading")).toBeFocused();
  await expect(page.locator("#leaving")).toHaveCount(0);
  await expect(page.locator("#stay")).toHaveCount(0);
  await expect(pressableElement(page, "Go on")).toHaveAttribute("href", "myapp://done");
});

test("a check that goes on later is waited for, and ends as it ends", async ({ page, server }) => {
  server.methods = [method("DOC_SCAN")];
  server.scripts.DOC_SCAN = () => ({ ends: "PROCESSING" });
  await page.goto(server.page("doc_scan"));
  await heading(page, "Being checked");
  await says(page, "Demo shop is told the result in any case");
  await accessible(page, "later");
  await keep(page, "26-processing");
  server.status = "FAIL";
  await heading(page, "Your age was not confirmed");
  await accessible(page, "not confirmed");
  await keep(page, "27-fail");
});

test("consent is taken back while a check runs: the check ends, and the other ways remain", async ({
  page,
  server,
}) => {
  server.methods = [method("DOC_SCAN", { biometric: true }), method("EMAIL")];
  server.consent = { required: true, given: true, may_give: true };
  server.scripts.DOC_SCAN = () => ({ ends: "PROCESSING" });
  await page.goto(server.page("doc_scan"));
  await heading(page, "Being checked");
  await accessible(page, "a check of a face");
  await keep(page, "40-face-checked");
  await tabTo(page, TAKE_BACK);
  await page.keyboard.press("Enter");
  await expect(page.locator("#question")).toHaveText("Take back your consent?");
  await expect(page.locator("#keep")).toBeFocused();
  await accessible(page, "the question about consent");
  await keep(page, "41-take-back");
  await page.keyboard.press("Escape");
  await expect(page.locator("#sure")).toBeHidden();
  await expect(pressableElement(page, TAKE_BACK)).toBeFocused();
  expect(server.count(/consent/)).toBe(0);
  await page.keyboard.press("Enter");
  await tabTo(page, "Take it back");
  await page.keyboard.press("Enter");
  await heading(page, OVER);
  expect(server.last(/consent/)).toEqual({ given: false });
  await says(page, "Ways that measure your face are left out");
  await expect(page.locator(".way strong")).toHaveText(["Email address"]);
  await press(page, "Stop");
  await expect(page.locator("#question"), "each question has its own words").toHaveText("Stop proving your age?");
});

test("a check of no face goes on when consent is taken back, and says that no face is measured", async ({
  page,
  server,
}) => {
  server.methods = [method("DOC_SCAN"), { ...FACE }];
  server.consent = { required: true, given: true, may_give: true };
  server.scripts.DOC_SCAN = () => ({ ends: "PROCESSING" });
  await page.goto(server.page("doc_scan"));
  await press(page, TAKE_BACK);
  await press(page, "Take it back");
  await says(page, "Your face is not measured, as you asked.");
  await heading(page, "Being checked");
  await expect(pressableElement(page, TAKE_BACK)).toHaveCount(0);
  await accessible(page, "a check of no face");
  server.status = "COMPLETE";
  await heading(page, "Your age is confirmed");
});

test("a check that ends while somebody takes back consent shows what came of it", async ({ page, server }) => {
  server.methods = [method("DOC_SCAN", { biometric: true })];
  server.consent = { required: true, given: true, may_give: true };
  server.status = "PROCESSING";
  await page.goto(server.page());
  await press(page, TAKE_BACK);
  await expect(page.locator("#sure")).toBeVisible();
  server.status = "COMPLETE";
  await heading(page, "Your age is confirmed");
  await expect(page.locator("#sure"), "the question is about what is over").toBeHidden();
  await expect(page.locator("#heading")).toBeFocused();
  expect(server.count(/consent/)).toBe(0);
  for (const [asked, refusal] of [
    [1, [409, "INVALID_STATUS"]],
    [2, [410, "SESSION_EXPIRED"]],
  ] as [number, [number, string]][]) {
    server.status = "PROCESSING";
    server.refuse("POST /consent", ...refusal);
    const answer = server.hold("POST /consent");
    await arrive(page, server.page());
    await press(page, TAKE_BACK);
    await press(page, "Take it back");
    await expect.poll(() => server.count(/consent/)).toBe(asked);
    server.status = "COMPLETE";
    answer();
    await heading(page, "Your age is confirmed");
  }
});

test("nobody is led away while they are asked about their consent", async ({ page, server }) => {
  await page.clock.install();
  await stopClock(page);
  server.methods = [method("DOC_SCAN", { biometric: true })];
  server.consent = { required: true, given: true, may_give: true };
  server.status = "PROCESSING";
  server.view = { callback: { url: `${server.origin}/thanks`, auto: true } };
  await page.goto(server.page());
  await expect(page.locator("#leaving")).toBeVisible();
  await press(page, TAKE_BACK);
  await expect(page.locator("#leaving")).toHaveCount(0);
  await page.clock.runFor(60_000);
  await press(page, "Leave it as it is");
  await heading(page, "Being checked");
  expect(server.count(/consent/)).toBe(0);
});

test("who refused and failed for it may allow it after all", async ({ page, server }) => {
  server.methods = [{ ...FACE, state: "DECLINED", attempts: 1, available: false }];
  server.consent = { required: true, given: false, may_give: true };
  server.status = "FAIL";
  server.result = { method: "AGE_ESTIMATION", status: "FAIL", reason: "DECLINED" };
  await page.goto(server.page());
  await heading(page, "Your age was not confirmed");
  await says(page, "Your face is not measured, as you asked.");
  await accessible(page, "failed for a refusal");
  server.view = { retry: true };
  await press(page, "Allow it after all");
  await expect.poll(() => server.last(/consent/)).toEqual({ given: true });
  await expect(page.locator(".way strong")).toHaveText(["Age from your face"]);

  server.view = {};
  server.consent = { required: true, given: false, may_give: false };
  await arrive(page, server.page());
  await heading(page, "Your age was not confirmed");
  await expect(pressableElement(page, "Allow it after all")).toHaveCount(0);
});

test("who is blocked can still take back consent and stop", async ({ page, server }) => {
  server.methods = [{ ...FACE }, method("EMAIL")];
  server.consent = { required: true, given: true, may_give: true };
  server.blocked = true;
  await page.goto(server.page());
  await heading(page, "Not available where you are");
  await accessible(page, "blocked after consent");
  await press(page, TAKE_BACK);
  await press(page, "Take it back");
  await says(page, "Your face is not measured, as you asked.");
  await heading(page, "Not available where you are");
  await expect(pressableElement(page, TAKE_BACK)).toHaveCount(0);
  await accessible(page, "blocked, without consent");
  await keep(page, "42-blocked-declined");
  expect(server.last(/consent/)).toEqual({ given: false });
  await press(page, "Stop");
  await confirmStop(page);
  await heading(page, "Stopped");
});

test("a failed session that may be tried again offers its ways again", async ({ page, server }) => {
  server.methods = [method("EMAIL", { state: "FAILED", attempts: 1 })];
  server.status = "FAIL";
  server.result = { method: "EMAIL", status: "FAIL", reason: null };
  server.view = { retry: true };
  await page.goto(server.page());
  await heading(page, "Try it again");
  await way(page, "Email address").click();
  await heading(page, "Your email address");
});

test("somebody stops, is asked once, and goes where the business wants", async ({ page, server }) => {
  server.view = { cancel_url: `${server.origin}/sorry` };
  await page.goto(server.page());
  await heading(page, OVER);
  await press(page, "Stop");
  await expect(page.locator("#sure")).toBeVisible();
  await accessible(page, "the question");
  await keep(page, "28-question");
  await page.keyboard.press("Escape");
  await expect(page.locator("#sure")).toBeHidden();
  await way(page, "Email address").click();
  await heading(page, "Your email address");
  await press(page, "Stop");
  await confirmStop(page);
  await expect(page).toHaveURL(/\/sorry$/);
  expect(server.count(/cancel/)).toBe(1);
  server.view = {};
  await arrive(page, server.page());
  await heading(page, "Stopped");
  await accessible(page, "stopped");
});

test("what is finished while somebody is asked whether to stop is done, and the question is gone", async ({
  page,
  server,
}) => {
  await page.goto(server.page("email"));
  await fill(page, "Email address", "ada@example.com");
  await press(page, "Check");
  await fill(page, "Code", "123456");
  const answer = server.hold("POST /attempts/ID");
  await press(page, "Continue");
  await press(page, "Stop");
  await expect(page.locator("#sure")).toBeVisible();
  answer();
  await heading(page, "Your age is confirmed");
  await expect(page.locator("#sure")).toBeHidden();
  await expect(page.locator("#heading")).toBeFocused();
  expect(server.count(/cancel/)).toBe(0);
  await press(page, "Go on");
  await expect(page).toHaveURL(/\/thanks\?/);
});

test("a session that expired, is blocked, unknown, of another application, or not named says what it is", async ({
  page,
  server,
}) => {
  for (const [refusal, words] of [
    [[410, "SESSION_EXPIRED"], "Time is up"],
    [[404, "SESSION_NOT_FOUND"], "This link does not work"],
    [[401, "UNAUTHORIZED"], "This link does not work"],
    [[403, "LOCATION_BLOCKED"], "Not available where you are"],
  ] as [[number, string], string][]) {
    server.refuse("GET ", ...refusal);
    await arrive(page, server.page());
    await heading(page, words);
    await accessible(page, words);
  }
  await keep(page, "29-blocked");
  server.blocked = true;
  await arrive(page, server.page());
  await heading(page, "Not available where you are");
  for (const query of ["", `?sessionId=${SESSION}`, `?sessionId=../x&sdkId=${SDK_ID}`]) {
    await arrive(page, `${server.origin}/age${query}`);
    await heading(page, "The link is incomplete");
  }
  await keep(page, "30-incomplete");
});

test("time that runs out is warned of, and ends it wherever somebody is", async ({ page, server }) => {
  await page.clock.install();
  await page.goto(server.page());
  await heading(page, OVER);
  await expect(page.locator("#time")).toBeHidden();
  await page.clock.fastForward((server.seconds - 58) * 1000);
  await expect(page.locator("#spoken")).toHaveText("One minute is left.");
  await expect(page.locator("#time")).toHaveText(/Time left: 0:\d\d/);
  await accessible(page, "a minute");
  await keep(page, "31-minute");

  await way(page, "Email address").click();
  await heading(page, "Your email address");
  server.refuse("GET ", 410, "SESSION_EXPIRED");
  await page.clock.fastForward(server.seconds * 1000);
  await heading(page, "Time is up");
  await keep(page, "32-expired");
  await press(page, "Back to the business");
  await expect(page).toHaveURL(/\/thanks\?/);
});

test("a check may outlast the session, and whoever passes then is led back", async ({ page, server }) => {
  server.methods = [method("DOC_SCAN")];
  server.scripts.DOC_SCAN = () => ({ ends: "PROCESSING" });
  await page.clock.install();
  await page.goto(server.page("doc_scan"));
  await heading(page, "Being checked");
  await page.clock.fastForward((server.seconds + 60) * 1000);
  await heading(page, "Being checked");
  await expect(page.locator("#time")).toBeHidden();
  server.seconds = 0;
  server.status = "COMPLETE";
  await page.clock.fastForward(5000);
  await heading(page, "Your age is confirmed");
  await press(page, "Go on");
  await expect(page).toHaveURL(/\/thanks\?/);
});

test("what is asked from time to time does not repeat the warning", async ({ page, server }) => {
  server.methods = [method("DOC_SCAN")];
  server.scripts.DOC_SCAN = waiting(server);
  server.seconds = 50;
  await page.goto(server.page("doc_scan"));
  await heading(page, "Being checked");
  await page.evaluate(() => {
    const spoken: string[] = [];
    Object.assign(window, { spoken });
    const place = document.querySelector("#spoken") as Element;
    new MutationObserver(() => spoken.push(place.textContent ?? "")).observe(place, { childList: true });
  });
  const asked = server.count(/ID$/);
  await expect.poll(() => server.count(/ID$/)).toBeGreaterThanOrEqual(asked + 3);
  const spoken = (await page.evaluate("spoken")) as string[];
  expect(spoken.filter((words) => /minute|Time left/.test(words)).length, spoken.join("|")).toBeLessThanOrEqual(1);
});

test("a step that cannot be taken here leads back to the other ways, and so does a browser that keeps nothing", async ({
  page,
  server,
}) => {
  server.methods = [method("DOUBLE_ANONYMITY"), method("SINGPASS")];
  const issuer_url = "http://elsewhere.example/age/issue";
  server.scripts.DOUBLE_ANONYMITY = () => ({
    step: { kind: "token", challenge: CHALLENGE, key: PUBLIC_KEY, threshold: 18, issuer_url },
  });
  await page.goto(server.page("double_anonymity"));
  await heading(page, "This does not work here");
  await accessible(page, "what does not work here");
  await press(page, "Choose another way");
  await heading(page, OVER);
  await way(page, "Singpass").click();
  await heading(page, "You sign in elsewhere");
  await page.evaluate(() => {
    Storage.prototype.setItem = () => {
      throw new DOMException("", "QuotaExceededError");
    };
  });
  await toProvider(page, server);
  await heading(page, "This does not work here");
});

test("who comes back to an attempt that is over is shown where the session stands", async ({ page, server }) => {
  server.methods = [method("SINGPASS"), method("EMAIL")];
  await page.goto(server.page("singpass"));
  await toProvider(page, server);
  await expect(page).toHaveURL(/\/provider/);
  server.end("SINGPASS", "NEXT");
  await page.locator("#yes").click();
  await heading(page, "Try it another way");
  await says(page, "That did not work. Please try again.");
});

test("an attempt that went on elsewhere is picked up where the session stands", async ({ page, server }) => {
  await page.goto(server.page("email"));
  await fill(page, "Email address", "ada@example.com");
  server.refuse("POST /attempts/ID", 409, "STALE_CONTINUATION");
  await press(page, "Check");
  await heading(page, OVER);
  await says(page, "That did not work. Please try again.");
});

test("a network that breaks off loses nothing, and one that stays away is named", async ({ page, server }) => {
  await page.goto(server.page("email"));
  await fill(page, "Email address", "ada@example.com");
  server.cuts.set("POST /attempts/ID", 2);
  const answer = server.hold("POST /attempts/ID");
  await press(page, "Check");
  await says(page, "Being checked …");
  answer();
  await heading(page, "Type the code");
  expect(server.count(/^cut/)).toBe(2);
  await server.stop();
  await fill(page, "Code", "123456");
  await press(page, "Continue");
  await heading(page, "No connection");
  await accessible(page, "no connection");
  await keep(page, "33-no-connection");
  await server.start();
  await page.evaluate(() => window.dispatchEvent(new Event("online")));
  await heading(page, "Your age is confirmed");
});

test("what shows a step cannot be fetched, and is fetched when it is tried again", async ({ page, server }) => {
  await intercept(page, /\/assets\/form-/, (route) => route.abort());
  await page.goto(server.page("email"));
  await heading(page, "No connection");
  await page.unroute(/\/assets\/form-/);
  await press(page, "Try again");
  await fill(page, "Email address", "ada@example.com");
  await press(page, "Check");
  await heading(page, "Type the code");
});

test("a server that is busy is asked again, one that stays away is named", async ({ page, server }) => {
  server.refuse("GET ", 429, "TOO_MANY_REQUESTS");
  server.refuse("GET ", 503, "SERVICE_UNAVAILABLE");
  await page.goto(server.page());
  await heading(page, OVER);
  for (let time = 0; time < 5; time += 1) {
    server.refuse("POST /attempts", 503, "SERVICE_UNAVAILABLE");
  }
  await way(page, "Email address").click();
  await heading(page, "The server does not answer");
  await press(page, "Try again");
  await heading(page, "Your email address");
});

test("a phone takes over by the code, and this page follows it to the end", async ({ page, server, newContext }) => {
  server.methods = [{ ...FACE }, method("EMAIL")];
  await page.setViewportSize({ width: 1024, height: 900 });
  await page.goto(server.page());
  await press(page, "Continue on your phone");
  await heading(page, "Go on with your phone");
  await expect(page.locator("svg.code path")).toHaveAttribute("d", /./);
  await says(page, "Waiting for your phone");
  await accessible(page, "the code");
  await keep(page, "34-phone");
  const link = await scanScreen(page);
  await expect(page.locator("input[readonly]")).toHaveValue(link);
  expect(link).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/age#[\w-]{43}$/);
  const phone = await (await newContext()).newPage();
  await phone.goto(link);
  await heading(phone, OVER);
  await expect(pressableElement(phone, "Continue on your phone"), "it is the phone").toHaveCount(0);
  await way(phone, "Email address").click();
  await says(page, "Your phone has begun");
  await fill(phone, "Email address", "ada@example.com");
  await press(phone, "Check");
  await fill(phone, "Code", "123456");
  await press(phone, "Continue");
  await heading(phone, "Your age is confirmed");
  await says(phone, "Go on at your computer");
  await phone.reload();
  await says(phone, "Go on at your computer");
  await says(page, "You finished on another device");

  server.status = "PENDING";
  server.methods = [method("SINGPASS", { hand_off: false })];
  await arrive(page, server.page());
  await heading(page, OVER);
  await expect(pressableElement(page, "Continue on your phone"), "nothing that a phone may do").toHaveCount(0);
});

test("where only ways are left that a phone may not take, the phone says so and this page goes on", async ({
  page,
  server,
  newContext,
}) => {
  server.methods = [method("EMAIL"), method("DOC_SCAN", { hand_off: false })];
  server.scripts.EMAIL = (input) => (input ? { ends: "NEXT", reason: "NOT_FOUND" } : { step: formStep("EMAIL") });
  await page.goto(server.page());
  await press(page, "Continue on your phone");
  await says(page, "Waiting for your phone");
  const phone = await (await newContext()).newPage();
  await phone.goto(await page.locator("input[readonly]").inputValue());
  await expect(phone.locator(".way")).toHaveText(/Email address/);
  await way(phone, "Email address").click();
  await fill(phone, "Email address", "ada@example.com");
  await press(phone, "Check");
  await heading(phone, "Go on where you began");
  await says(phone, "Email address: your age could not be confirmed this way.");
  await says(phone, "The ways that are left cannot be used on this device.");
  await expect(phone.locator(".ways")).toHaveCount(0);
  await accessible(phone, "on a phone that has no way left");
  await keep(phone, "34-phone-without-a-way");
  await heading(page, "Try it another way");
  await way(page, "Identity document").click();
  await heading(page, "Show your document");
  server.otherDone = true;
  await heading(page, "Your age is confirmed");
  await expect(page.locator("body")).not.toContainText("on another device");
});

test("in a frame it tells the page around it, and only a page of the right origin, what happens", async ({
  page,
  server,
  observed,
}) => {
  const begin = async (target: string) => {
    server.view = { target_origin_url: target };
    [server.status, server.result] = ["PENDING", null];
    server.methods = [method("EMAIL")];
    const inside = await embed(page, server, server.page());
    await inside.locator(".way").click();
    await expect(inside.locator("form")).toBeVisible();
    return inside;
  };
  const inside = await begin(`${server.origin}/anything`);
  server.end("EMAIL", "COMPLETE");
  await inside.getByRole("textbox").fill("ada@example.com");
  await inside.getByRole("button", { name: "Check" }).click();
  await expect
    .poll(() => page.evaluate("heard"))
    .toEqual([
      { type: "age-session", sessionId: SESSION, status: "PENDING" },
      { type: "age-session", sessionId: SESSION, status: "IN_PROGRESS", method: "EMAIL" },
      { type: "age-session", sessionId: SESSION, status: "COMPLETE", method: "EMAIL" },
    ]);
  await expect(inside.locator("a.main")).toHaveAttribute("target", "_top");
  // Who sees the page in a frame has nothing to close.
  server.view = { callback: null };
  const ended = await embed(page, server, server.page());
  await expect(ended.locator("h1")).toHaveText("Your age is confirmed");
  await expect(ended.locator("body")).not.toContainText("You can close this page");
  for (const target of ["https://shop.example", "nonsense", "*"]) {
    await begin(target);
    expect(await page.evaluate("heard"), target).toEqual([]);
  }
  // The browser itself says that nobody of that origin was there to hear it.
  observed.ignore(/postMessage/);
});

test("from a frame a provider is opened in a tab that knows what it is for, and the frame goes on by itself", async ({
  page,
  server,
  newContext,
}) => {
  server.methods = [method("SINGPASS")];
  const inside = await embed(page, server, server.page("singpass"));
  const link = inside.locator("a.press");
  await expect(link).toHaveAttribute("target", "_blank");
  await expect(link).toHaveAttribute("rel", "noopener");
  // A frame and a tab share no storage.
  const tab = await (await newContext()).newPage();
  await tab.goto(await link.evaluate((one: HTMLAnchorElement) => one.href));
  await heading(tab, "You sign in elsewhere");
  expect(await tab.evaluate(() => location.hash)).toBe("");
  await expectAccessible(tab, "the tab");
  await keep(tab, "35-tab");
  await toProvider(tab, server);
  await expect(tab).toHaveURL(/\/provider/);
  await tab.locator("#yes").click();
  await heading(tab, "Your age is confirmed");
  await says(tab, "You can close this page");
  await expect(inside.locator("h1")).toHaveText("Your age is confirmed");
  const errand = (url: string) =>
    encodeURIComponent(JSON.stringify({ base: "", id: SESSION, sdkId: SDK_ID, attempt: "a", continuation: "c", url }));
  for (const bad of ["javascript:alert(1)", "data:text/html,x", "http://evil.example/"]) {
    await arrive(page, `${server.origin}/age/return#go=${errand(bad)}`);
    await heading(page, "The link is incomplete");
  }
});

test("the keyboard alone leads from the beginning to the end", async ({ page, server }) => {
  server.methods = [{ ...FACE }, method("EMAIL")];
  await page.goto(server.page());
  await heading(page, OVER);
  await page.keyboard.press("Tab");
  await expect(page.locator("#stop"), "the order is that of the screen").toBeFocused();
  await page.keyboard.press("Tab");
  await expect(page.locator(".way").first()).toBeFocused();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await heading(page, "Your email address");
  await expect(page.locator("#heading")).toBeFocused();
  await tabTo(page, "Email address");
  await page.keyboard.insertText("ada@example.com");
  await page.keyboard.press("Enter");
  await heading(page, "Type the code");
  await expect(page.locator("#heading")).toBeFocused();
  await tabTo(page, "Code");
  await page.keyboard.insertText("123456");
  await page.keyboard.press("Enter");
  await heading(page, "Your age is confirmed");
  await tabTo(page, "Go on");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/thanks\?/);
});

test("a mistake of the page is reported without a word about anybody", async ({ page, server, observed }) => {
  await page.addInitScript(() => {
    HTMLFormElement.prototype.addEventListener = () => {
      throw new TypeError("Ada's secret");
    };
  });
  await page.goto(server.page("email"));
  await heading(page, "Something broke");
  await expect.poll(() => server.count(/faults/)).toBe(1);
  const report = server.last(/faults/);
  const { name, file, line, screen } = report;
  expect([name, typeof line, screen]).toEqual(["TypeError", "number", "form"]);
  expect(String(file)).toMatch(/^[\w-]+\.js-\d+$/);
  expect(JSON.stringify(report)).not.toContain("Ada");
  observed.ignore(/Ada's secret/);
  await keep(page, "36-broken");
});

test("what something else answers in the server's place is no session, and loading again goes on", async ({
  page,
  server,
  observed,
}) => {
  await intercept(page, `**/sessions/${SESSION}`, (route) => route.fulfill({ body: "<!doctype html><h1>Proxy</h1>" }), {
    times: 1,
  });
  await page.goto(server.page());
  await heading(page, "Something broke");
  await press(page, "Load again");
  await heading(page, OVER);
  observed.ignore(/an answer that is no session/);
});

test("before a method is chosen little is fetched, and nothing of cameras, codes and passkeys", async ({
  page,
  server,
}) => {
  server.methods = [{ ...FACE }, method("DIGITAL_ID"), method("SVC_KEY"), method("EMAIL")];
  await page.goto(server.page());
  await heading(page, OVER);
  const fetched = await page.evaluate(() =>
    (performance.getEntriesByType("resource") as PerformanceResourceTiming[]).map(({ name, decodedBodySize }) => ({
      name: name.replace(/.*\//, ""),
      bytes: decodedBodySize,
    })),
  );
  const scripts = fetched.filter(({ name }) => name.endsWith(".js"));
  const bytes = scripts.reduce((sum, script) => sum + script.bytes, 0);
  expect(bytes).toBeGreaterThan(10_000);
  expect(bytes).toBeLessThan(150_000);
  const lazy = scripts.filter(({ name }) => /^(face|form|wallet|passkey|qr|code|document)-/.test(name));
  expect(lazy).toEqual([]);
  expect(fetched.filter(({ name }) => name.endsWith(".bin"))).toEqual([]);
});

test.describe(() => {
  test.use({ locale: "ar" });
  test("it is right at every size, in every scheme, at rest and from right to left", async ({ page, server }) => {
    server.methods = [{ ...FACE }, method("CREDIT_CARD"), method("EMAIL")];
    server.consent.required = true;
    const ways = page.locator(".way");
    const look = async (what: string) => {
      for (const [name, width, height, media] of [
        ["320", 320, 568, {}],
        ["dark", 390, 844, { colorScheme: "dark" }],
        ["desk", 1280, 800, { reducedMotion: "reduce" }],
        ["forced", 1280, 800, { forcedColors: "active" }],
      ] as const) {
        await page.setViewportSize({ width, height });
        await page.emulateMedia({ colorScheme: "light", reducedMotion: null, forcedColors: null, ...media });
        await accessible(page, `${what}, ${name}`);
        await keep(page, `37-${what}-${name}`);
      }
    };
    await page.goto(server.page());
    await expect(ways).toHaveCount(3);
    await expect(page.locator("body")).toHaveCSS("direction", "rtl");
    await look("start");
    await ways.nth(1).click();
    await page.locator("form button.primary").click();
    await expect(errors(page)).toHaveCount(3);
    await look("card");
    await arrive(page, server.page());
    await ways.nth(0).click();
    await expect(page.locator("#body button")).toHaveCount(2);
    await look("consent");
    await page.emulateMedia({ reducedMotion: "reduce" });
    server.methods = [method("DOC_SCAN")];
    server.scripts.DOC_SCAN = waiting(server);
    [server.status, server.consent.required] = ["PENDING", false];
    await arrive(page, server.page("doc_scan"));
    await expect(page.locator(".busy")).toBeVisible();
    const turning = await page.evaluate(
      () => document.getAnimations().filter((one) => (one as CSSAnimation).animationName === "turn").length,
    );
    expect(turning).toBe(0);
  });
});

test("a business's language is spoken where the page has it, the reader's elsewhere", async ({ page, server }) => {
  for (const [locale, language] of [
    ["pl", "pl"],
    ["de-AT", "de"],
    ["ja", "en"],
  ] as const) {
    await arrive(page, server.page("", `&locale=${locale}`));
    await expect(page.locator(".way")).toBeVisible();
    await expect(page.locator("html")).toHaveAttribute("lang", language);
  }
});
