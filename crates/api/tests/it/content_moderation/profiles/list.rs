//! `GET /accounts/{accountId}/profiles`

use crate::content_moderation::AccountFixture;
use base::Environment as _;
use serde_json::{Value, json};

#[tokio::test]
async fn profiles_are_listed() {
    let fixture = AccountFixture::start().await;
    fixture.add_profile("Ada").await;
    assert_response_snapshot!(fixture.call("GET", "/profiles", None).await);
}

#[tokio::test]
async fn a_page_past_the_end_is_refused() {
    let fixture = AccountFixture::start().await;
    assert_response_snapshot!(fixture.call("GET", "/profiles?page=2", None).await);
}

#[tokio::test]
async fn profiles_are_listed_newest_first_by_twenty() {
    let fixture = AccountFixture::start().await;
    let mut made = Vec::new();
    for number in 0..21 {
        made.push(fixture.add_profile(&format!("Person {number}")).await);
        fixture.app.environment.advance(base::SignedDuration::from_secs(1));
    }
    let ids = |list: Value| -> Vec<String> {
        let list = list["profiles"].as_array().unwrap().clone();
        list.iter().map(|profile| profile["profile_id"].as_str().unwrap().to_owned()).collect()
    };
    made.reverse();
    assert_eq!(ids(fixture.get("/profiles").await), made[..20]);
    assert_eq!(ids(fixture.get("/profiles?page=2").await), made[20..]);
    for (page, expected) in [
        ("3", "422 PAGE_OUT_OF_RANGE"),
        ("4294967296", "422 PAGE_OUT_OF_RANGE"),
        ("99999999999999999999", "422 PAGE_OUT_OF_RANGE"),
        ("0", "400 INVALID_REQUEST"),
        ("-1", "400 INVALID_REQUEST"),
        ("x", "400 INVALID_REQUEST"),
    ] {
        let refused = fixture.call("GET", &format!("/profiles?page={page}"), None).await;
        assert_eq!(refused.status_and_code(), expected, "{page}");
    }
}

fn ids(list: &Value) -> Vec<String> {
    let list = list["profiles"].as_array().unwrap();
    list.iter().map(|profile| profile["profile_id"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn profiles_are_found_by_reference_ban_group_and_date() {
    let fixture = AccountFixture::start().await;
    let mut made = Vec::new();
    for reference in ["customer/1 ä", "customer/2", "customer/1 ä", ""] {
        made.push(fixture.create("/profiles", json!({ "reference": reference })).await);
        fixture.app.environment.advance(base::SignedDuration::from_mins(1));
    }
    let found = async |query: &str| ids(&fixture.get(&format!("/profiles?{query}")).await);
    let by_reference = "reference=customer%2F1%20%C3%A4";
    let both = vec![made[2].clone(), made[0].clone()];
    assert_eq!(found(by_reference).await, both);
    assert_eq!(found("reference=customer%2F2").await, made[1..2]);
    for missing in ["reference=CUSTOMER%2F2", "reference=customer", "reference=customer%2F2%20"] {
        assert_eq!(found(missing).await, [""; 0], "{missing}");
    }
    let foreign = fixture.app.open_account().await;
    let foreign = format!("/accounts/{foreign}/profiles?{by_reference}");
    let foreign = fixture.app.call_moderation("GET", &foreign, &fixture.key, None).await;
    assert_eq!(foreign.json()["profiles"], json!([]));

    let renamed = json!({ "reference": "customer/3" });
    assert_eq!(fixture.call("PATCH", &format!("/profiles/{}", made[2]), Some(renamed)).await.status, 200);
    assert_eq!(found(by_reference).await, made[..1]);
    assert_eq!(found("reference=customer%2F3").await, made[2..3]);
    assert_eq!(fixture.call("DELETE", &format!("/profiles/{}", made[2]), None).await.status, 204);
    assert_eq!(found("reference=customer%2F3").await, [""; 0]);

    assert_eq!(found("active=false").await, made[2..3]);
    assert_eq!(found("active=true&banned=true").await, [""; 0]);
    let banned = fixture.enrol("Ada", &testkit::face_pictures()[6]).await;
    assert_eq!(fixture.call("POST", &format!("/profiles/{banned}/ban"), None).await.status, 204);
    assert_eq!(found("banned=true").await, [banned.as_str()]);
    let group = fixture.create("/groups", json!({ "label": "VIPs" })).await;
    let join = json!({ "profile_id": made[1] });
    assert_eq!(fixture.call("POST", &format!("/groups/{group}"), Some(join)).await.status, 204);
    assert_eq!(found(&format!("group_id={group}")).await, made[1..2]);
    assert_eq!(found(&format!("group_id={group}&reference=customer%2F2")).await, made[1..2]);
    assert_eq!(found(&format!("group_id={group}&reference=customer%2F1")).await, [""; 0]);
    let profile = fixture.get(&format!("/profiles/{}", made[1])).await;
    let created = profile["created_at"].as_str().unwrap();
    assert_eq!(found(&format!("created_before={created}")).await, made[..1]);
    assert_eq!(
        found(&format!("created_from={created}&banned=false&active=true")).await,
        [made[3].clone(), made[1].clone()]
    );
    let long = "x".repeat(201);
    let refused = fixture.call("GET", &format!("/profiles?reference={long}&banned=1"), None).await;
    assert_eq!(refused.status_and_code(), "400 INVALID_REQUEST");
    assert_eq!(refused.json()["errors"][0]["measured"], 201.0);
}

#[tokio::test]
async fn profiles_are_found_by_a_part_of_their_name() {
    let fixture = AccountFixture::start().await;
    let mut made = Vec::new();
    for name in ["Łukasz Müller", "Ada Lovelace", "LUKAS Adam", ""] {
        let profile = json!({ "display_name": name, "reference": format!("r-{}", made.len()) });
        made.push(fixture.create("/profiles", profile).await);
        fixture.app.environment.advance(base::SignedDuration::from_mins(1));
    }
    let found = async |query: &str| fixture.get(&format!("/profiles?{query}")).await;
    for (query, which) in [
        ("name=lukas", &[2, 0][..]),
        ("name=Mull", &[0]),
        ("name=ada", &[2, 1]),
        ("name=ada%20lo", &[1]),
        ("name=ada&reference=r-1", &[1]),
        ("name=ada&reference=r-0", &[]),
        ("name=nobody", &[]),
    ] {
        let page = found(query).await;
        let wanted: Vec<_> = which.iter().map(|at: &usize| made[*at].clone()).collect();
        assert_eq!(ids(&page), wanted, "{query}");
        assert_eq!(
            (&page["total_count"], page.get("searched_back_to")),
            (&json!(wanted.len()), None),
            "{query}"
        );
    }
    let foreign = fixture.app.open_account().await;
    let foreign = format!("/accounts/{foreign}/profiles?name=ada");
    let foreign = fixture.app.call_moderation("GET", &foreign, &fixture.key, None).await;
    assert_eq!(foreign.json()["profiles"], json!([]));
    for nothing in ["name=", "name=%20-%20"] {
        let refused = fixture.call("GET", &format!("/profiles?{nothing}"), None).await;
        assert_eq!(refused.status_and_code(), "400 INVALID_REQUEST", "{nothing}");
        assert_eq!(refused.json()["errors"][0]["property"], "name", "{nothing}");
    }
}

#[tokio::test]
async fn names_of_the_newest_profiles_are_compared_and_the_answer_says_how_far_back() {
    let fixture = AccountFixture::start().await;
    let ada = fixture.create("/profiles", json!({ "display_name": "Ada" })).await;
    let account = fixture.account;
    let now = fixture.app.environment.now();
    let mut tx = fixture.app.api.db.write().await.unwrap();
    for minute in 1..=10_000 {
        let id = base::ProfileId::from(fixture.app.environment.uuid_v4());
        let created = now + base::SignedDuration::from_mins(minute);
        tx.execute(db::sql!(
            "INSERT INTO profiles (id, account_id, kind, active, banned, adult, created_at, updated_at, reference_hash)
             VALUES ($1, $2, 1, $3, $4, $4, $5, $5, $6)",
            id,
            account,
            true,
            false,
            created,
            Vec::<u8>::new(),
        ))
        .await
        .unwrap();
    }
    tx.commit().await.unwrap();
    let page = fixture.get("/profiles?name=ada").await;
    assert_eq!((ids(&page).len(), &page["total_count"]), (0, &json!(0)));
    let back_to = page["searched_back_to"].as_str().unwrap().to_owned();
    let behind = fixture.get(&format!("/profiles?name=ada&created_before={back_to}")).await;
    assert_eq!((ids(&behind), behind.get("searched_back_to")), (vec![ada], None));
}

#[tokio::test]
async fn references_that_an_older_build_wrote_are_found_once_the_sweep_has_run() {
    let fixture = AccountFixture::start().await;
    let profile = fixture.create("/profiles", json!({ "reference": "customer-1" })).await;
    let mut tx = fixture.app.api.db.write().await.unwrap();
    tx.execute(db::sql!("UPDATE profiles SET reference_hash = NULL")).await.unwrap();
    tx.commit().await.unwrap();
    let found = async || ids(&fixture.get("/profiles?reference=customer-1").await);
    assert_eq!(found().await, [""; 0]);
    fixture.app.api.faces.sweep_tombstones().await.unwrap();
    assert_eq!(found().await, [profile]);
}
